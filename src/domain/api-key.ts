import { hash, randomBytes } from 'node:crypto';
import { z } from 'zod';
import { id, timestamp } from './fields.ts';

export const keyKinds = ['personal', 'workspace'] as const;
export type KeyKind = (typeof keyKinds)[number];

/** A key as lists show it. The secret is shown once and stored only as its SHA-256. */
export const apiKey = z.object({
  id,
  name: z.string(),
  key_prefix: z.string().describe('The first 16 characters of the key.'),
  scopes: z.array(z.string()),
  last_used_at: timestamp.nullable(),
  last_used_route: z.string().nullable().describe('The last call: its method and route.'),
  expires_at: timestamp.nullable(),
  allowed_addresses: z
    .array(z.string())
    .nullable()
    .describe('Addresses and networks from which the key works. null means all.'),
  created_at: timestamp,
});

export const workspaceKey = apiKey.extend({
  description: z.string().nullable(),
  user_id: z.string().describe('The user who created it.'),
});

/** What the operator sees of any key. */
export const ownedKey = apiKey.extend({
  kind: z.enum(keyKinds),
  user_id: z.string(),
  workspace_id: id.nullable(),
});
export type OwnedKey = z.infer<typeof ownedKey>;

export const storedKey = workspaceKey.extend({ ...ownedKey.shape, key_hash: z.string() });
export type StoredKey = z.infer<typeof storedKey>;

/** When and by which call keys were last used. */
export type KeyUses = ReadonlyMap<string, { at: string; route: string | null }>;

/** A new key. Its secret is in this answer and nowhere else. */
export type IssuedKey = StoredKey & { key: string };

/** What authentication needs to know about a key. */
export const liveKey = ownedKey.omit({
  key_prefix: true,
  last_used_at: true,
  last_used_route: true,
  created_at: true,
});

/** Whose keys a call works on. */
export type KeyOwner =
  | { readonly kind: 'personal'; readonly userId: string }
  | { readonly kind: 'workspace'; readonly workspaceId: string }
  | { readonly kind: 'anyone' };

export const personalKeysOf = (userId: string) => ({ kind: 'personal', userId }) as const;
export const workspaceKeysOf = (workspaceId: string) => ({ kind: 'workspace', workspaceId }) as const;

export const maxActiveKeysPerUser = 5;
/** Each key has the requests of its workspace's plan, so without a bound a workspace could have any number of requests. */
export const maxActiveKeysPerWorkspace = 50;
/** For all workspaces together, because a person can make any number of them. */
export const maxWorkspaceKeysPerUser = 100;
export const maxKeyNameLength = 100;
export const maxAllowedAddresses = 20;
/** After a rotation, the old secret works for this long at most. */
export const maxGraceHours = 24;
export const maxKeyDescriptionLength = 500;
/** A hundred years, so that the year of the expiry always has four digits. */
export const maxKeyLifetimeDays = 36_500;

const secretPrefix: Record<KeyKind, string> = { personal: 'owk_live_', workspace: 'ow_wks_live_' };
const secretForm = /^(owk_live_|ow_wks_live_)[A-Za-z0-9_-]{43}$/;
const shownPrefixLength = 16;

export function newSecret(kind: KeyKind): { secret: string; key_hash: string; key_prefix: string } {
  const secret = secretPrefix[kind] + randomBytes(32).toString('base64url');
  return { secret, key_hash: hashSecret(secret), key_prefix: secret.slice(0, shownPrefixLength) };
}

/** A key that is not stored yet. */
export function newKey(
  fields: Omit<StoredKey, 'key_hash' | 'key_prefix' | 'last_used_at' | 'last_used_route'>,
): IssuedKey {
  const { secret, ...proof } = newSecret(fields.kind);
  return { ...fields, ...proof, last_used_at: null, last_used_route: null, key: secret };
}

export const looksLikeKey = (token: string) => secretForm.test(token);

/** Keys are looked up by this hash, so response times reveal nothing: a SHA-256 cannot be chosen byte by byte. */
export const hashSecret = (secret: string) => hash('sha256', secret);
