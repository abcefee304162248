import {
  type IssuedKey,
  type KeyOwner,
  maxActiveKeysPerUser,
  maxActiveKeysPerWorkspace,
  maxWorkspaceKeysPerUser,
  newKey,
  newSecret,
  type StoredKey,
} from '../../domain/api-key.ts';
import { AppError, notFound } from '../../domain/errors.ts';
import type { Authority } from '../../domain/principal.ts';
import { dayMs } from '../../domain/rate-limit.ts';
import { defaultPersonalScopes, workspaceWildcard } from '../../domain/scopes.ts';
import { authorize, type Reach } from '../../kernel/authorized.ts';
import type { CommandContext, Context } from '../../kernel/context.ts';
import { isoAfter } from '../../lib/clock.ts';
import { firstAdmin } from '../members/queries.ts';
import { requireOperator, requireRole } from '../workspaces/access.ts';
import * as queries from './queries.ts';

/** What people, admins of workspaces, and the operator at the command line do with keys. */

const hourMs = 3_600_000;

interface KeyDraft {
  readonly name: string;
  /** If left out, a personal key gets the default scopes and a workspace key gets all. */
  readonly scopes?: readonly string[] | undefined;
  /** If left out, the key does not expire. */
  readonly expires_in_days?: number | undefined;
  readonly description?: string | null | undefined;
  /** Addresses and networks from which the key works; if left out, it works from anywhere. */
  readonly allowed_addresses?: readonly string[] | null | undefined;
  /** The creator of a workspace key. Only the operator may choose; if left out, it is the first admin. */
  readonly user_id?: string | undefined;
}

/** People reach their own keys, and the keys of workspaces where they are an admin. */
async function requireReach(context: Reach<Authority>, owner: KeyOwner): Promise<void> {
  const { who } = context;
  if (owner.kind === 'workspace') await requireRole(context, owner.workspaceId, 'admin');
  else if (owner.kind === 'anyone') requireOperator(who);
  else if (who.kind !== 'operator' && who.userId !== owner.userId) throw notFound('User');
}

interface Named {
  readonly owner: KeyOwner;
  readonly id: string;
}

const working = authorize(
  'Key',
  async (context: Reach<Authority>, { owner, id, now }: Named & { now: string }) => {
    await requireReach(context, owner);
    return queries.findActive(context.db, owner, id, now);
  },
);
const known = authorize('Key', async (context: Reach<Authority>, { owner, id }: Named) => {
  await requireReach(context, owner);
  return queries.find(context.db, owner, id);
});

export async function listKeys(context: Context<Authority>, owner: KeyOwner): Promise<StoredKey[]> {
  await requireReach(context, owner);
  return queries.list(context.db, owner, context.now);
}

export async function issueKey(
  context: CommandContext<Authority>,
  owner: Exclude<KeyOwner, { kind: 'anyone' }>,
  draft: KeyDraft,
): Promise<IssuedKey> {
  await requireReach(context, owner);
  const { newId, now } = context;
  const isPersonal = owner.kind === 'personal';
  const { expires_in_days: days } = draft;
  const { key, ...stored } = newKey({
    id: newId(),
    kind: owner.kind,
    user_id: isPersonal ? owner.userId : await makerOf(context, owner.workspaceId, draft.user_id),
    workspace_id: isPersonal ? null : owner.workspaceId,
    name: draft.name,
    description: draft.description ?? null,
    scopes: [...(draft.scopes ?? (isPersonal ? defaultPersonalScopes : [workspaceWildcard]))],
    expires_at: days === undefined ? null : isoAfter(now, days * dayMs),
    allowed_addresses: draft.allowed_addresses ? [...draft.allowed_addresses] : null,
    created_at: now,
  });
  await storeKey(context, stored);
  return { ...stored, key };
}

async function makerOf({ db, who }: Reach<Authority>, workspaceId: string, named: string | undefined) {
  if (who.kind !== 'operator') return who.userId;
  const maker = named ?? (await firstAdmin(db, workspaceId));
  if (!maker) throw new AppError('not_found', 'This workspace has no admin; say which user creates the key.');
  return maker;
}

/** Raises `limit_reached` if the person or the workspace has as many active keys as it can have. */
export async function storeKey(
  { tx, now, audit }: CommandContext<unknown>,
  key: StoredKey,
  mostOfPerson = key.kind === 'personal' ? maxActiveKeysPerUser : maxWorkspaceKeysPerUser,
): Promise<void> {
  const { ofPerson, ofWorkspace } = await queries.count(tx, key, now);
  if (ofPerson >= mostOfPerson)
    throw limitReached(
      key.kind === 'personal'
        ? `You can have at most ${mostOfPerson} active keys`
        : `One person can make at most ${mostOfPerson} active keys for workspaces`,
    );
  if (ofWorkspace >= maxActiveKeysPerWorkspace)
    throw limitReached(`A workspace can have at most ${maxActiveKeysPerWorkspace} active keys`);
  await queries.insert(tx, key);
  await audit({ act: 'key.created', ...factsOf(key), detail: key.scopes.join(' ') });
}

const limitReached = (what: string) => new AppError('limit_reached', `${what}; revoke one first.`);

/** Gives the key a new secret; the old one works for `graceHours`. */
export async function rotateKey(
  context: CommandContext<Authority>,
  named: Named,
  graceHours: number,
): Promise<IssuedKey & { old_key_expires_at: string }> {
  const found = await working(context, { ...named, now: context.now });
  const { secret, ...proof } = newSecret(found.kind);
  const old_key_expires_at = isoAfter(context.now, graceHours * hourMs);
  await queries.replaceSecret(context.tx, found, proof, old_key_expires_at);
  await context.audit({ act: 'key.rotated', ...factsOf(found) });
  return { ...found, ...proof, key: secret, old_key_expires_at };
}

/** A key may be revoked twice. */
export async function revokeKey(context: CommandContext<Authority>, named: Named): Promise<void> {
  const found = await known(context, named);
  if (found.revoked_at !== null) return;
  await queries.revoke(context.tx, found, context.now);
  await context.audit({ act: 'key.revoked', ...factsOf(found) });
}

const factsOf = (key: { id: string; name: string; workspace_id: string | null }) => ({
  subject_id: key.id,
  subject_name: key.name,
  workspace_id: key.workspace_id,
});
