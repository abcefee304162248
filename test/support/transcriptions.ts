import { AppError } from '../../src/domain/errors.ts';
import { type OwnerFilter, ownedBy } from '../../src/domain/owner.ts';
import type { Writing } from '../../src/domain/revision.ts';
import type { Segment } from '../../src/domain/transcript.ts';
import { changeSegments, find } from '../../src/features/transcriptions/queries.ts';
import { authorize } from '../../src/kernel/authorized.ts';
import type { Database } from '../../src/platform/database/database.ts';
import { principalOf } from './principal.ts';

interface Change {
  userId: string;
  id: string;
  segments: Segment[];
  now: string;
  note?: Writing & { reach: OwnerFilter };
}

const own = authorize('Transcription', ({ db, who }, id) => find(db, ownedBy(who.userId), id));

/** Gives a transcription of the person other segments. Resolves to it, or to the code of the refusal. */
export const changed = (database: Database, { userId, id, segments, now, note }: Change) =>
  database
    .write(async (tx) => {
      const found = await own({ db: tx, who: principalOf(userId) }, id);
      return (await changeSegments({ tx, database }, found, segments, now, note)).record;
    })
    .catch((cause: unknown) => {
      if (cause instanceof AppError) return cause.code;
      throw cause;
    });
