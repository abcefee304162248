import { sql } from 'kysely';
import type { TokenCount } from '../../domain/language.ts';
import { type OwnerFilter, reachOf } from '../../domain/owner.ts';
import type { Principal } from '../../domain/principal.ts';
import type { Period } from '../../domain/usage.ts';
import type { Authorized } from '../../kernel/authorized.ts';
import { countRows } from '../../platform/database/count.ts';
import type { Database, Db, Tx } from '../../platform/database/database.ts';
import { blocksOn, withBlockedBy } from '../../platform/database/policies.ts';
import { rowsOf } from '../../platform/database/schema.ts';
import {
  type Action,
  type ActionChanges,
  action,
  builtInActions,
  defaultLanguageSettings,
  type LanguageSettings,
  languageSettings,
  type StoredAction,
} from './schema.ts';

/**
 * Who asks: a person, or with a workspace key the workspace, in the name of the person who made the key. A workspace key reaches
 * the actions and jobs of its workspace, a person their own.
 */
export interface Asker {
  readonly userId: string;
  readonly workspaceId: string | null;
  /** Of the jobs, only jobs of notes that the call may read: a job has their text. */
  readonly notes: OwnerFilter;
}

export const askerOf = (who: Principal): Asker => ({
  userId: who.userId,
  workspaceId: who.kind === 'workspace' ? who.workspaceId : null,
  notes: reachOf(who),
});

const { all, columns, first, only, toRow } = rowsOf(action);

const memberships = (db: Db, userId: string) =>
  db.selectFrom('workspace_members').select('workspace_id').where('user_id', '=', userId);

/** A person's own actions and the actions that their workspaces share; for a workspace key the actions of its workspace. */
export const reachedActions = (db: Db, { userId, workspaceId }: Pick<Asker, 'userId' | 'workspaceId'>) =>
  db
    .selectFrom('actions')
    .where((eb) =>
      workspaceId !== null
        ? eb('workspace_id', '=', workspaceId)
        : eb.or([
            eb.and([eb('user_id', '=', userId), eb('workspace_id', 'is', null)]),
            eb('workspace_id', 'in', memberships(db, userId)),
          ]),
    );

/** The built-in ones, and then the oldest first. */
export async function actions(db: Db, asker: Asker): Promise<Action[]> {
  const rows = reachedActions(db, asker).select(columns).orderBy('created_at').orderBy('id');
  return [...builtInActions, ...(await all(rows))];
}

/**
 * What the caller may change: what they made; signed in, also actions of workspaces that they administer. A personal key changes
 * no action of a workspace, as it reads no note of one.
 */
export function changeableAction(db: Db, asker: Asker, id: string): Promise<Action | undefined> {
  const { kind } = asker.notes;
  const found = reachedActions(db, asker)
    .select(columns)
    .where('id', '=', id)
    .$if(kind === 'owner', (own) => own.where('workspace_id', 'is', null))
    .where((eb) =>
      eb.or([
        eb('user_id', '=', asker.userId),
        eb.lit(kind === 'any space of'),
        ...(kind === 'member'
          ? [eb('workspace_id', 'in', memberships(db, asker.userId).where('role', '=', 'admin'))]
          : []),
      ]),
    );
  return first(found);
}

export const countActions = (db: Db, userId: string) =>
  countRows(db.selectFrom('actions').where('user_id', '=', userId));

export const insertAction = (tx: Tx, made: StoredAction) =>
  tx.insertInto('actions').values(toRow(made)).execute();

export const updateAction = (
  tx: Tx,
  { id }: Authorized<Action>,
  changes: ActionChanges & { updated_at: string },
): Promise<Action> =>
  only(tx.updateTable('actions').set(toRow(changes)).where('id', '=', id).returning(columns));

export const removeAction = (tx: Tx, { id }: Authorized<Action>) =>
  tx.deleteFrom('actions').where('id', '=', id).execute();

/**
 * Before an account is deleted: the actions that it shared stay with the workspace, in the name of its oldest other admin, or of
 * its oldest member.
 */
export async function handOverActions(tx: Db, userId: string): Promise<void> {
  const mine = tx.selectFrom('actions').where('user_id', '=', userId);
  const shared = await mine.select('workspace_id').distinct().where('workspace_id', 'is not', null).execute();
  for (const { workspace_id } of shared) {
    const heir = await tx
      .selectFrom('workspace_members')
      .select('user_id')
      .where('workspace_id', '=', workspace_id)
      .where('user_id', '!=', userId)
      .orderBy(({ case: when }) => when().when('role', '=', 'admin').then(0).else(1).end())
      .orderBy('created_at')
      .orderBy('user_id')
      .executeTakeFirst();
    if (heir)
      await tx
        .updateTable('actions')
        .set(heir)
        .where('user_id', '=', userId)
        .where('workspace_id', '=', workspace_id)
        .execute();
  }
}

const settings = rowsOf(languageSettings);

export async function settingsOf(db: Db, userId: string): Promise<LanguageSettings> {
  const known = db
    .selectFrom('language_settings')
    .select(['is_allowed as allowed', 'titles', 'actions', 'folders'])
    .where('user_id', '=', userId);
  return (await settings.first(known)) ?? defaultLanguageSettings;
}

export async function changeSettings(
  tx: Tx,
  userId: string,
  changes: Partial<LanguageSettings>,
): Promise<LanguageSettings> {
  const after = { ...(await settingsOf(tx, userId)), ...changes };
  const { allowed: is_allowed, ...wishes } = settings.toRow(after);
  const row = { is_allowed, ...wishes };
  await tx
    .insertInto('language_settings')
    .values({ ...row, user_id: userId })
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet(row))
    .execute();
  return after;
}

/** What decides whether a person may use language models. Undefined if there is no such account. */
export async function personOf(db: Db, userId: string) {
  const found = await db
    .selectFrom('users')
    .leftJoin('language_settings as wish', 'wish.user_id', 'users.id')
    .select(['users.plan', 'wish.is_allowed', ...blocksOn('users.id')])
    .where('users.id', '=', userId)
    .executeTakeFirst();
  if (!found) return undefined;
  const { plan, is_allowed, blocked_by } = withBlockedBy(found);
  return { plan, isBlocked: blocked_by.includes('language models'), isAllowed: is_allowed !== 0 };
}

export async function tokensOf(db: Db, userId: string, { from, until }: Period): Promise<number> {
  const { sum } = await db
    .selectFrom('language_usage')
    .select(sql<number>`coalesce(sum(prompt_tokens + answer_tokens), 0)`.as('sum'))
    .where('user_id', '=', userId)
    .where('day', '>=', from.slice(0, 10))
    .where('day', '<', until.slice(0, 10))
    .executeTakeFirstOrThrow();
  return sum;
}

/** Adds the tokens of one request. */
export const countTokens = (
  database: Database,
  userId: string,
  { prompt, answer }: TokenCount,
  now: string,
) =>
  database.write(async (tx) => {
    if (!(await database.holdAccount(tx, userId))) return;
    await tx
      .insertInto('language_usage')
      .values({ user_id: userId, day: now.slice(0, 10), prompt_tokens: prompt, answer_tokens: answer })
      .onConflict((conflict) =>
        conflict.columns(['user_id', 'day']).doUpdateSet({
          prompt_tokens: sql`language_usage.prompt_tokens + excluded.prompt_tokens`,
          answer_tokens: sql`language_usage.answer_tokens + excluded.answer_tokens`,
        }),
      )
      .execute();
  });
