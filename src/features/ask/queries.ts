import { type SqlBool, sql } from 'kysely';
import type { NoteWithTranscript } from '../../domain/note.ts';
import { reachOf } from '../../domain/owner.ts';
import type { PageQuery } from '../../domain/page.ts';
import type { Principal } from '../../domain/principal.ts';
import type { Authorized } from '../../kernel/authorized.ts';
import type { Database, Db, Tx } from '../../platform/database/database.ts';
import { newestFirst } from '../../platform/database/page.ts';
import { rowsOf } from '../../platform/database/schema.ts';
import { noteRows, wholeNote } from '../notes/queries.ts';
import { type Conversation, conversation, maxConversations, type Turn, turn } from './schema.ts';

const { columns } = rowsOf(conversation);
const turns = rowsOf(turn);

const of = (db: Db, userId: string) => db.selectFrom('conversations').where('user_id', '=', userId);

/**
 * The conversations of one person, and of those only the ones about notes that the call may read: titles and answers have words
 * of the notes. A workspace key has none.
 */
function reached(db: Db, who: Principal) {
  const reach = reachOf(who);
  switch (reach.kind) {
    case 'owner':
      return of(db, reach.ownerId).where('space_id', 'is', null);
    case 'member':
      return of(db, reach.userId).where(
        sql<SqlBool>`(space_id is null or space_id in (select spaces.id from spaces
          join workspace_members as member on member.workspace_id = spaces.workspace_id
          where member.user_id = ${reach.userId} and spaces.archived_at is null))`,
      );
    case 'any space of':
      return of(db, '').where(sql<SqlBool>`false`);
  }
}

export const page = (db: Db, who: Principal, query: PageQuery): Promise<Conversation[]> =>
  newestFirst(reached(db, who).select(columns), query).execute();

export const find = (db: Db, who: Principal, id: string): Promise<Conversation | undefined> =>
  reached(db, who).select(columns).where('id', '=', id).executeTakeFirst();

export function turnsOf(db: Db, { id }: Authorized<Conversation>): Promise<Turn[]> {
  const rows = db.selectFrom('conversation_turns').select(turns.columns).where('conversation_id', '=', id);
  return turns.all(rows.orderBy('number'));
}

/** The oldest one of the person goes if there are too many. */
export async function begin(tx: Tx, userId: string, made: Conversation, first: Turn): Promise<void> {
  const tooOld = await of(tx, userId)
    .select('id')
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .offset(maxConversations - 1)
    .limit(maxConversations)
    .execute();
  const ids = tooOld.map(({ id }) => id);
  if (ids.length > 0) await tx.deleteFrom('conversations').where('id', 'in', ids).execute();
  await tx
    .insertInto('conversations')
    .values({ ...made, user_id: userId })
    .execute();
  await addTurn(tx, made.id, 1, first);
}

export async function goOn(tx: Tx, { id }: Authorized<Conversation>, next: Turn): Promise<void> {
  await tx.updateTable('conversations').set({ updated_at: next.created_at }).where('id', '=', id).execute();
  const { last } = await tx
    .selectFrom('conversation_turns')
    .select(({ fn }) => fn.max('number').as('last'))
    .where('conversation_id', '=', id)
    .executeTakeFirstOrThrow();
  await addTurn(tx, id, Number(last ?? 0) + 1, next);
}

const addTurn = (tx: Tx, conversation_id: string, number: number, added: Turn) =>
  tx
    .insertInto('conversation_turns')
    .values({ ...turns.toRow(added), conversation_id, number })
    .execute();

export const remove = (tx: Tx, { id }: Authorized<Conversation>) =>
  tx.deleteFrom('conversations').where('id', '=', id).execute();

interface Search {
  ownerId: string;
  query: string;
  limit: number;
  filter: { folderId?: string | undefined; since?: string | undefined; until?: string | undefined };
}

/** The notes that search finds best, the best first. `ownerId` is of `ownerOf`. */
export async function searchNotes(
  { db, search }: Database,
  request: Search,
  signal: AbortSignal,
): Promise<NoteWithTranscript[]> {
  const { hits } = await search.find({ ...request, highlights: false }, signal);
  if (hits.length === 0) return [];
  const seqs = hits.map(({ seq }) => seq);
  // The query does not name the owner: without statistics PostgreSQL would then read all their notes.
  const rows = await db
    .selectFrom('notes')
    .select(['seq', 'owner_id', 'deleted_at', ...wholeNote])
    .where('seq', 'in', seqs)
    .execute();
  const live = rows.filter((row) => row.owner_id === request.ownerId && row.deleted_at === null);
  const notes = new Map(
    live.map(({ seq, owner_id: _, deleted_at: __, ...row }) => [seq, noteRows.fromRow(row)]),
  );
  return seqs.flatMap((seq) => notes.get(seq) ?? []);
}
