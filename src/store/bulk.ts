import { setImmediate as nextTurn } from 'node:timers/promises';
import type { BulkStore, NoteOutcome } from '../ports/bulk-store.ts';
import type { Database, InsertOutcome, NewNote } from './database.ts';
import { keyCompletion } from './idempotency.ts';
import { insertLinked, noteRows, settle } from './notes.ts';
import { accountDeleted } from './owners.ts';

/** Letters that are analysed for the search before others have their turn; about 2 ms. */
const analysedPerTurn = 16_384;

export function createBulkStore(database: Database): BulkStore {
  return {
    async insertNotes(rows, keep) {
      const completeKey = keyCompletion();
      const added: (NewNote & { transcriptionId: string | undefined })[] = [];
      let letters = 0;
      for (const { note, transcriptionId } of rows) {
        letters += note.content.length;
        if (letters > analysedPerTurn) {
          letters = 0;
          await nextTurn();
        }
        added.push({ row: noteRows.toRow(note), text: database.search.analyse(note), transcriptionId });
      }
      const outcomes = await database.write(async (trx) => {
        const plain = added.filter(({ transcriptionId }) => transcriptionId === undefined);
        const stored = plain.length === 0 ? [] : await database.insertNotes(trx, plain);
        const outcomes: NoteOutcome[] = [];
        for (const one of added) {
          const { transcriptionId } = one;
          const outcome: NoteOutcome | InsertOutcome =
            transcriptionId === undefined
              ? (stored.shift() ?? 'no account')
              : await insertLinked(database, trx, one, transcriptionId);
          if (outcome === 'no account') throw accountDeleted();
          outcomes.push(outcome);
        }
        await completeKey?.(trx, '', keep(outcomes));
        return outcomes;
      });
      if (added.some(({ text }, at) => text === null && outcomes[at] === 'ok')) await settle(database);
      return outcomes;
    },
  };
}
