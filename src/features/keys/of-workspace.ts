import type { z } from 'zod';
import { personally } from '../../domain/access.ts';
import { workspaceKeysOf } from '../../domain/api-key.ts';
import type { Context } from '../../kernel/context.ts';
import { command, rereadWith, wholeList } from '../../kernel/operation.ts';
import { graceHours } from '../../kernel/schemas.ts';
import { requireRole } from '../workspaces/access.ts';
import * as acts from './acts.ts';
import * as queries from './queries.ts';
import { newWorkspaceKey, rotatedWorkspaceKey, workspaceKey, workspaceKeyDraft } from './schema.ts';

type Rotated = z.input<typeof rotatedWorkspaceKey>;

/** Keys of a workspace, for its admins. Those that show a secret are not for app passwords, which the key would outlive. */
const access = { credential: 'session' } as const;

const named = ({ id, key_id }: { id: string; key_id: string }) => ({
  owner: workspaceKeysOf(id),
  id: key_id,
});

async function find(context: Context, id: string) {
  const key = await queries.findActive(context.db, { kind: 'anyone' }, id, context.now);
  if (!key?.workspace_id) return undefined;
  await requireRole(context, key.workspace_id, 'admin');
  return key;
}

export const listWorkspaceKeys = wholeList({
  http: 'GET /api/workspaces/:id/api-keys',
  access,
  summary: 'List the active keys of a workspace',
  items: workspaceKey,
  run: (context, { id }) => acts.listKeys(context, workspaceKeysOf(id)),
});

export const createWorkspaceKey = command({
  http: 'POST /api/workspaces/:id/api-keys',
  access: personally,
  summary: 'Create a key for the spaces of a workspace',
  errors: ['limit_reached'],
  body: workspaceKeyDraft,
  answer: [201, newWorkspaceKey],
  audit: ['key.created'],
  once: rereadWith<z.input<typeof newWorkspaceKey>, 'key'>(find, ['key']),
  run: (context, { id, body }) => acts.issueKey(context, workspaceKeysOf(id), body),
});

export const rotateWorkspaceKey = command({
  http: 'POST /api/workspaces/:id/api-keys/:key_id/rotate',
  access: personally,
  summary: 'Give a key of a workspace a new secret; the old one works for a while',
  description: 'An extension of this server.',
  body: graceHours,
  answer: rotatedWorkspaceKey,
  audit: ['key.rotated'],
  once: rereadWith<Rotated, 'key' | 'old_key_expires_at'>(find, ['key', 'old_key_expires_at']),
  run: (context, input) => acts.rotateKey(context, named(input), input.body.grace_hours),
});

export const revokeWorkspaceKey = command({
  http: 'DELETE /api/workspaces/:id/api-keys/:key_id',
  access,
  summary: 'Revoke a key of a workspace; it stops working at once',
  answer: 204,
  audit: ['key.revoked'],
  run: (context, input) => acts.revokeKey(context, named(input)),
});
