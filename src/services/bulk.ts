import { setImmediate as nextTurn } from 'node:timers/promises';
import { z } from 'zod';
import { type RowOutcome, refusedRow, rowError } from '../domain/bulk.ts';
import { AppError, notFound } from '../domain/errors.ts';
import type { Note, StoredNote } from '../domain/note.ts';
import type { Principal } from '../domain/principal.ts';
import { createGate, GateClosed } from '../lib/gate.ts';
import { createTurns } from '../lib/turns.ts';
import type { NoteOutcome } from '../ports/bulk-store.ts';
import type { Store } from '../ports/store.ts';
import { type NoteDraft, type Notes, refusedInsert } from './notes.ts';

/** What is kept of a row for a request that is sent again: what it made, by id or by the client's own id, or why it made nothing. */
const receipt = z.object({
  status: z.int(),
  id: z.string().optional(),
  known: z.object({ ownerId: z.string(), clientId: z.string() }).optional(),
  error: rowError.nullable(),
});
type Receipt = z.infer<typeof receipt>;
const receipts = z.object({ rows: z.array(receipt) });

/** People whose rows are stored at once: each takes a connection to the database, and other requests need some too. */
const maxAtOnce = 4;
const maxWaiting = 1_000;
const maxWaitMs = 30_000;

export type Bulk = ReturnType<typeof createBulk>;

interface Dependencies {
  store: Store;
  notes: Notes;
}

/**
 * Up to 100 rows in one write, each with its own outcome. A row that is refused already is an error among the rows.
 * `kept` is what an earlier request with the same Idempotency-Key left (decision 225).
 */
export function createBulk({ store, notes }: Dependencies) {
  const inTurn = createTurns();
  const gate = createGate({ most: maxAtOnce, maxWaiting, maxWaitMs });

  async function noteOf(principal: Principal, { status, id, known, error }: Receipt) {
    if (error) return { status, data: null, error };
    const made = known
      ? await notes.madeBefore(known.ownerId, known.clientId)
      : await notes.get(principal, id ?? '');
    if (!made) throw notFound('Note');
    return { status, data: made, error: null };
  }

  return {
    /**
     * Reading and storing 100 rows takes about 20 ms of this process. Before the next hundred of the same person, other requests
     * have their turn. Raises `service_unavailable` if many people send many rows at once.
     */
    alone: <Result>({ userId }: Principal, work: () => Promise<Result>): Promise<Result> =>
      inTurn(userId, () =>
        gate(async () => {
          await nextTurn();
          return work();
        }),
      ).catch((cause: unknown) => {
        if (cause instanceof GateClosed) throw tooMany(cause);
        throw cause;
      }),

    async createNotes(
      principal: Principal,
      drafts: readonly (NoteDraft | AppError)[],
      kept?: object,
    ): Promise<RowOutcome<Note>[]> {
      if (kept) return each(receipts.parse(kept).rows, (row) => noteOf(principal, row).catch(refused));
      const prepared = await each(drafts, (draft) => prepare(principal, draft));
      const rows = prepared.flatMap((one) => ('note' in one ? [one] : []));
      const toReceipts = (outcomes: readonly NoteOutcome[]): Receipt[] => {
        const left = [...outcomes];
        return prepared.map((one) => ('note' in one ? receiptOf(one.note, left.shift()) : one));
      };
      const stored = await store.bulk.insertNotes(rows, (outcomes) => ({ rows: toReceipts(outcomes) }));
      const made = new Map(rows.map(({ note }) => [note.id, note]));
      return each(toReceipts(stored), async (row) => {
        const note = row.id === undefined ? undefined : made.get(row.id);
        return note ? { status: row.status, data: note, error: null } : noteOf(principal, row).catch(refused);
      });
    },
  };

  async function prepare(
    principal: Principal,
    draft: NoteDraft | AppError,
  ): Promise<{ note: StoredNote; transcriptionId: string | undefined } | Receipt> {
    if (draft instanceof AppError) return refusedRow(draft);
    const prepared = await notes.prepare(principal, draft).catch(refused);
    if ('note' in prepared) return { note: prepared.note, transcriptionId: draft.transcription_id };
    return 'known' in prepared ? { status: 200, id: prepared.known.id, error: null } : prepared;
  }
}

const tooMany = (cause: GateClosed) =>
  new AppError('service_unavailable', 'Many people send many rows now. Try again in a moment.', {
    retryAfterSeconds: 5,
    cause,
  });

function receiptOf(
  {
    id,
    owner_id: ownerId,
    client_note_id: clientId,
  }: { id: string; owner_id: string; client_note_id: string },
  outcome: NoteOutcome | undefined,
): Receipt {
  if (outcome === undefined || outcome === 'ok') return { status: 201, id, error: null };
  // An earlier row, or another request at the same moment, has the same client_note_id.
  if (outcome === 'known') return { status: 200, known: { ownerId, clientId }, error: null };
  return refusedRow(refusedInsert(outcome));
}

/** One after the other: a request of many rows must not take all connections to the database. */
async function each<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (const item of items) results.push(await work(item));
  return results;
}

/** Only what the caller can change is the outcome of a row; a fault fails the whole request. */
function refused(cause: unknown): RowOutcome<never> {
  if (cause instanceof AppError && cause.status < 500) return refusedRow(cause);
  throw cause;
}
