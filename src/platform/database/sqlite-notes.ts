import type { DatabaseSync } from 'node:sqlite';
import { storedNote } from '../../domain/note.ts';
import { analyserVersion } from '../../engines/search/search-index.ts';
import type { InsertOutcome, NewNote } from './database.ts';
import { rowsOf } from './schema.ts';

const columns = rowsOf(storedNote).columns;

/**
 * Stores a note with its search entry, inside a write of the connection. Every new note runs these statements, so they are
 * prepared once and run without Kysely: 118 µs a note instead of 180 (64 at a time, both on a busy machine).
 */
export function createNoteInserts(writer: DatabaseSync): (note: NewNote) => InsertOutcome {
  // The tables are there only after the migrations, hence prepared at first use.
  let prepared: ReturnType<typeof prepare> | undefined;

  return ({ row, text }) => {
    prepared ??= prepare(writer);
    // There is one writer, so an existing account stays until the write ends.
    if (row.space_id === null && !prepared.account.get(row.owner_id)) return 'no account';
    if (row.folder_id !== null && !prepared.folder.get(row.folder_id, row.owner_id)) return 'unknown folder';
    if (row.client_note_id !== row.id && prepared.known.get(row.owner_id, row.client_note_id)) return 'known';
    const { lastInsertRowid: seq } = prepared.note.run(...columns.map((column) => row[column]));
    if (text === null) {
      prepared.pending.run(seq);
    } else {
      const { lastInsertRowid: entry } = prepared.entry.run(seq, row.owner_id, analyserVersion, text);
      prepared.fresh.run(row.owner_id, entry);
    }
    return 'ok';
  };
}

const prepare = (writer: DatabaseSync) => ({
  account: writer.prepare('select 1 from users where id = ?'),
  folder: writer.prepare('select 1 from folders where id = ? and owner_id = ?'),
  known: writer.prepare(
    'select 1 from notes where owner_id = ? and client_note_id = ? and client_note_id <> id',
  ),
  note: writer.prepare(
    `insert into notes (${columns.join(', ')}) values (${columns.map(() => '?').join(', ')})`,
  ),
  entry: writer.prepare('insert into search_entries (seq, owner_id, analyser, text) values (?, ?, ?, ?)'),
  fresh: writer.prepare('insert into search_fresh (owner_id, entry) values (?, ?)'),
  pending: writer.prepare('insert into search_pending (seq) values (?)'),
});
