import { AppError } from '../../src/domain/errors.ts';
import type { Folder } from '../../src/domain/folder.ts';
import type { ImportedTranscription } from '../../src/domain/imported.ts';
import type {
  ChangeOfMany,
  Note,
  NoteChanges,
  NoteWithTranscript,
  StoredNote,
} from '../../src/domain/note.ts';
import type { OwnerFilter } from '../../src/domain/owner.ts';
import type { PageQuery } from '../../src/domain/page.ts';
import type { Principal } from '../../src/domain/principal.ts';
import { dayMs } from '../../src/domain/rate-limit.ts';
import type { Writing } from '../../src/domain/revision.ts';
import * as changes from '../../src/features/changes/queries.ts';
import * as steps from '../../src/features/first-steps/queries.ts';
import { storeSample } from '../../src/features/first-steps/sample.ts';
import { addFolder } from '../../src/features/folders/add.ts';
import { deleteFolder, updateFolder } from '../../src/features/folders/operations.ts';
import * as folderQueries from '../../src/features/folders/queries.ts';
import * as importQueries from '../../src/features/import/queries.ts';
import { noteWithin } from '../../src/features/notes/access.ts';
import { changeNote } from '../../src/features/notes/change.ts';
import { storeNote, storeRows } from '../../src/features/notes/create.ts';
import * as lists from '../../src/features/notes/lists.ts';
import { changeNotes } from '../../src/features/notes/operations.ts';
import * as queries from '../../src/features/notes/queries.ts';
import { findNotes } from '../../src/features/notes/search.ts';
import * as revisionQueries from '../../src/features/revisions/queries.ts';
import * as transcriptions from '../../src/features/transcriptions/queries.ts';
import { emptyTrash, purgeNote, restoreNote } from '../../src/features/trash/operations.ts';
import { purgeExpired } from '../../src/features/trash/purge.ts';
import * as trashQueries from '../../src/features/trash/queries.ts';
import type { Authorized } from '../../src/kernel/authorized.ts';
import type { Operation } from '../../src/kernel/operation.ts';
import { contextFor, act as inOne } from '../../src/kernel/run.ts';
import { newUuid } from '../../src/lib/uuid.ts';
import type { Database } from '../../src/platform/database/database.ts';
import { act } from './act.ts';
import { testParts } from './parts.ts';
import { principalOf } from './principal.ts';

/** Notes and what belongs to them, below HTTP: each function is one act, and tells a refusal by a word. */
export type StoredNotes = ReturnType<typeof storedNotes>;

export type NewFolder = Omit<Folder, 'sort_order'> & {
  owner_id: string;
  name_key: string;
  sort_order: number | null;
};

/** A caller who reaches these rows. */
function callerOf(reach: OwnerFilter): Principal {
  switch (reach.kind) {
    case 'owner':
      return principalOf(reach.ownerId);
    case 'member':
      return { ...principalOf(reach.userId), kind: 'session', sessionId: '', isOperator: false, key: null };
    case 'any space of':
      return {
        ...principalOf(reach.workspaceId),
        kind: 'workspace',
        key: { id: reach.workspaceId, name: 'test' },
        workspaceId: reach.workspaceId,
      };
  }
}

/** The word for a refusal with this code. */
const or =
  <Word>(words: Record<string, Word>) =>
  (cause: unknown): Word => {
    const word = cause instanceof AppError ? words[cause.code] : undefined;
    if (word === undefined) throw cause;
    return word;
  };

const insertWords = (cause: unknown) => {
  const ofFolder = cause instanceof AppError && cause.message.startsWith('folder_id');
  return or({
    validation_error: ofFolder ? ('unknown folder' as const) : ('unknown transcription' as const),
    conflict: 'linked already' as const,
  })(cause);
};

export function storedNotes(database: Database) {
  const { db } = database;
  const at = (now: string) =>
    contextFor({ database, clock: () => Date.parse(now), newId: newUuid, parts: testParts(database) }, {});
  const called = async (reach: OwnerFilter, operation: Operation, now: string, input: object) => {
    const who = callerOf(reach);
    return act(database, operation, { userId: who.userId, who, now }, input);
  };

  return {
    notes: {
      get: (reach: OwnerFilter, id: string) => queries.find(database, reach, id),
      place: (reach: OwnerFilter, id: string) => queries.place(db, reach, id),
      findByClientId: (ownerId: string, id: string) => queries.withClientId(db, ownerId, id),
      list: (ownerId: string, query: lists.NoteListQuery) => lists.list(database, ownerId, query),
      listParts: (ownerId: string, query: lists.NoteListQuery, fields: ReadonlySet<string>) =>
        lists.listParts(database, ownerId, query, fields),
      listWhole: (ownerId: string, page: PageQuery) => queries.listWhole(db, ownerId, page),
      search: (ownerId: string, wanted: Parameters<typeof findNotes>[2], signal?: AbortSignal) =>
        findNotes(database, ownerId, wanted, signal),
      insert: (note: StoredNote, transcriptionId?: string) =>
        storeNote(database, note, { transcriptionId })
          .then((outcome) => (outcome === 'stored' ? ('ok' as const) : outcome))
          .catch(insertWords),
      update: (
        reach: OwnerFilter,
        id: string,
        changes: NoteChanges,
        now: string,
        writing: Writing,
      ): Promise<NoteWithTranscript | 'not found' | 'unknown folder' | { changedSince: Note }> =>
        inOne(at(now), { locks: true, rowId: id }, async (context) => {
          const note = await noteWithin({ ...context, reach }, id);
          return changeNote(context, note, changes, writing).catch((cause: unknown) => {
            const isStale = cause instanceof AppError && cause.code.includes('conflict');
            if (!isStale) throw cause;
            const { seq: _, owner_id: __, other_edit: ___, ...changedSince } = note;
            return { changedSince };
          });
        }).catch(or({ not_found: 'not found' as const, validation_error: 'unknown folder' as const })),
      softDelete: (reach: OwnerFilter, id: string, now: string) =>
        inOne(at(now), { locks: true, rowId: id }, async ({ tx }) => {
          const { seq } = await noteWithin({ database, tx, reach }, id);
          await queries.moveToTrash(database, tx, [seq], now);
          return true;
        }).catch(or({ not_found: false })),
    },
    manyNotes: {
      change: async (reach: OwnerFilter, ids: readonly string[], change: ChangeOfMany, now: string) => {
        const changed = await called(reach, changeNotes, now, { body: { ids, change } });
        return changed === 'validation_error'
          ? ('unknown folder' as const)
          : (changed as { id: string; updated_at: string }[]);
      },
    },
    bulk: {
      async insertNotes(rows: readonly { note: StoredNote; transcriptionId: string | undefined }[]) {
        const prepared = rows.map((row) => ({
          ...row,
          added: { row: queries.noteRows.toRow(row.note), text: database.search.analyse(row.note) },
        }));
        const who = principalOf(rows[0]?.note.user_id ?? '');
        const outcomes = await inOne({ ...at(new Date().toISOString()), who }, {}, (context) =>
          storeRows(context, prepared),
        );
        return outcomes.map((one) => {
          if (one instanceof AppError) return insertWords(one);
          return one.isNew ? ('ok' as const) : ('known' as const);
        });
      },
    },
    transcriptions: {
      get: (reader: OwnerFilter, id: string) => transcriptions.find(db, reader, id),
      list: (reader: OwnerFilter, page: Parameters<typeof transcriptions.page>[2]) =>
        transcriptions.page(db, reader, page),
      beginnings: (ids: readonly string[]) => transcriptions.beginnings(db, ids),
    },
    folders: {
      list: (ownerId: string) => folderQueries.list(db, ownerId),
      insert: (folder: NewFolder, max: number) =>
        database
          .write((tx) => addFolder({ database, tx }, folder, max))
          .catch(or({ conflict: 'conflict' as const, limit_reached: 'limit reached' as const })),
      update: async (
        reach: OwnerFilter,
        id: string,
        body: { name?: string; sort_order?: number },
        now: string,
      ) => {
        const changed = await called(reach, updateFolder, now, { id, body });
        return changed === 'not_found' ? 'not found' : (changed as Folder | 'conflict');
      },
      remove: async (
        reach: OwnerFilter,
        id: string,
        { notes, now }: { notes: 'keep' | 'trash'; now: string },
      ) => (await called(reach, deleteFolder, now, { id, query: { notes } })) !== 'not_found',
    },
    trash: {
      list: (ownerId: string, page: PageQuery) => trashQueries.page(db, ownerId, page),
      restore: async (reach: OwnerFilter, id: string, now: string) => {
        const note = await called(reach, restoreNote, now, { id });
        return note === 'not_found' ? undefined : (note as Note);
      },
      purge: async (reach: OwnerFilter, id: string) =>
        (await called(reach, purgeNote, new Date().toISOString(), { id })) !== 'not_found',
      empty: (ownerId: string) =>
        called({ kind: 'owner', ownerId }, emptyTrash, new Date().toISOString(), { query: {} }),
      purgeOlder: (than: string) => {
        const days = testParts(database).config.trashDays;
        return purgeExpired(at(new Date(Date.parse(than) + days * dayMs).toISOString()));
      },
    },
    revisions: {
      async list(reach: OwnerFilter, noteId: string, notBefore: string) {
        const note = await queries.find(database, reach, noteId);
        return note && revisionQueries.list(db, note as Authorized<typeof note>, notBefore);
      },
      async get(reach: OwnerFilter, noteId: string, id: string, notBefore: string) {
        const note = await queries.find(database, reach, noteId);
        return note && revisionQueries.find(db, note as Authorized<typeof note>, id, notBefore);
      },
      removeOlder: (than: string) => database.write((tx) => revisionQueries.removeOlder(tx, than)),
    },
    changes: {
      mark: (ownerId: string) => changes.markOf(database, ownerId),
      end: () => changes.endOfChanges(database),
      read: (ownerId: string, ...page: [{ tx: number; seq: number }, number]) =>
        changes.readChanges(database, ownerId, ...page),
      readEvents: (ownerIds: readonly string[], ...page: [{ tx: number; seq: number }, number]) =>
        changes.readEvents(database, ownerIds, ...page),
      ownersIn: (reach: OwnerFilter) => changes.ownersIn(db, reach),
      forget: (before: string, now: string) => changes.forgetChanges(database, before, now),
      forgotten: () => changes.forgottenUntil(db),
      startOver: (options: { always: boolean }) => changes.startTimeline(database, options),
    },
    imports: {
      ownerOf: (kind: importQueries.ImportedKind, id: string) => importQueries.ownerOf(db, kind, id),
      twinOf: (userId: string, like: importQueries.Twin) => importQueries.twinOf(db, userId, like),
      insertTranscription: (record: ImportedTranscription) =>
        database.write((tx) => importQueries.insertTranscription(tx, record)),
    },
    firstSteps: {
      async get(userId: string) {
        const state = await steps.stateOf(db, userId);
        const none = { recorded: false, wrote: false, connected: false, sample_id: null };
        if (state === undefined || state === 'over') return { shown: false, isNew: false, ...none };
        return { shown: true, isNew: state === 'new', ...(await steps.done(db, userId)) };
      },
      begin: (userId: string, sample: steps.Sample) =>
        database.write((tx) => storeSample({ database, tx }, userId, sample)),
      end: (userId: string) => database.write((tx) => steps.setState(tx, userId, 'over')),
    },
  };
}
