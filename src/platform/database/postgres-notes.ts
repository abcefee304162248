import { CompiledQuery } from 'kysely';
import { storedNote } from '../../domain/note.ts';
import { analyserVersion } from '../../engines/search/search-index.ts';
import type { Db, InsertOutcome, NewNote } from './database.ts';
import { rowsOf } from './schema.ts';

const { columns, typeOf } = rowsOf(storedNote);
const names = columns.join(', ');
const arrays = [...columns, 'words'].map((column, at) => `$${at + 1}::${typeOf(column)}[]`).join(', ');

// Every note is stored by it, and building it took 0.3 ms, so it is built once.
const insertInto = (onConflict: string) => `
  with asked as materialized (
    select * from unnest(${arrays}) with ordinality as asked (${names}, words, place)
  ), accounts as materialized (
    select id from users where id in (select owner_id from asked where space_id is null)
    order by id for key share
  ), judged as materialized (
    select asked.*, case
      when space_id is null and owner_id not in (select id from accounts) then 'no account'
      when folder_id is not null and not exists (
        select from folders where folders.id = asked.folder_id and folders.owner_id = asked.owner_id
      ) then 'unknown folder'
      else 'ok' end as outcome
    from asked
  ), stored as (
    insert into notes (${names}) select ${names} from judged where outcome = 'ok' order by place ${onConflict}
    returning seq, id
  ), entries as (
    insert into search_entries (seq, owner_id, analyser, text)
    select seq, owner_id, ${analyserVersion}, words from stored join judged using (id)
    where words is not null order by seq
    returning owner_id, entry
  ), fresh as (
    insert into search_fresh (owner_id, entry) select owner_id, entry from entries
  ), pending as (
    insert into search_pending (seq) select seq from stored join judged using (id) where words is null
  )
  select case when outcome = 'ok' and stored.id is null then 'known' else outcome end as outcome
  from judged left join stored using (id) order by place`;
const insert = insertInto('');
const insertUnlessKnown = insertInto(
  'on conflict (owner_id, client_note_id) where client_note_id <> id do nothing',
);

/**
 * Stores any number of notes with their search entries in one statement, one round trip. The account is locked against
 * its deletion until the commit; folders are guarded by their foreign key.
 */
export async function insertNotes(db: Db, notes: readonly NewNote[]): Promise<InsertOutcome[]> {
  const values = columns.map((column) => notes.map(({ row }) => row[column]));
  const texts = notes.map(({ text }) => text);
  // A client's own id may be the id of an earlier note. The server's is new, and is not in the index.
  const mayBeKnown = notes.some(({ row }) => row.client_note_id !== row.id);
  const { rows } = await db.executeQuery<{ outcome: InsertOutcome }>(
    CompiledQuery.raw(mayBeKnown ? insertUnlessKnown : insert, [...values, texts]),
  );
  return rows.map(({ outcome }) => outcome);
}
