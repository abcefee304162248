import { z } from 'zod';
import {
  apiKey as keyShape,
  maxAllowedAddresses,
  maxKeyDescriptionLength,
  maxKeyLifetimeDays,
  maxKeyNameLength,
  workspaceKey as workspaceKeyShape,
} from '../../domain/api-key.ts';
import { chosenScopes, workspaceScopes, workspaceWildcard } from '../../domain/scopes.ts';
import { timestamp } from '../../kernel/schemas.ts';
import { isNetwork } from '../../lib/network.ts';

export const apiKey = keyShape.meta({ id: 'ApiKey' });
export const workspaceKey = workspaceKeyShape.meta({ id: 'WorkspaceApiKey' });
const key = z.string().describe('The key itself. It is shown only this once.');
const rotated = { key, old_key_expires_at: timestamp };
export const newKey = keyShape.extend({ key });
export const rotatedKey = keyShape.extend(rotated);
export const newWorkspaceKey = workspaceKeyShape.extend({ key });
export const rotatedWorkspaceKey = workspaceKeyShape.extend(rotated);

const scopesFrom = <Name extends string>(names: readonly Name[]) =>
  z
    .array(z.enum(names))
    .min(1)
    .transform((scopes) => [...new Set(scopes)]);
const name = z.string().trim().min(1).max(maxKeyNameLength);
const bounds = {
  expires_in_days: z
    .int()
    .min(1)
    .max(maxKeyLifetimeDays)
    .optional()
    .describe('Days until the key expires. If left out, it never expires.'),
  allowed_addresses: z
    .array(
      z.string().trim().refine(isNetwork, 'must be an address or a network, like 192.0.2.7 or 2001:db8::/32'),
    )
    .min(1)
    .max(maxAllowedAddresses)
    .nullable()
    .optional()
    .describe('An extension of this server: addresses and networks from which the key works.'),
};

export const keyDraft = z.object({
  name,
  scopes: scopesFrom(chosenScopes)
    .optional()
    .describe('Default: notes:read, notes:write, transcriptions:read, usage:read.'),
  ...bounds,
});
export const workspaceKeyDraft = z.object({
  name,
  scopes: scopesFrom([...workspaceScopes, workspaceWildcard]),
  ...bounds,
  description: z.string().max(maxKeyDescriptionLength).nullable().optional(),
});
