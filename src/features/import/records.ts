import { AppError } from '../../domain/errors.ts';
import { maxFoldersPerOwner } from '../../domain/folder.ts';
import {
  type ImportedNote,
  type ImportedRecording,
  type ImportedTranscription,
  type ImportSource,
  idFor,
} from '../../domain/imported.ts';
import { mediaTypeOf, noWishes } from '../../domain/recording.ts';
import type { ActingContext } from '../../kernel/context.ts';
import type { Parts } from '../../kernel/parts.ts';
import { sameTextKey } from '../../lib/text.ts';
import * as dictionary from '../dictionary/queries.ts';
import { addFolder } from '../folders/add.ts';
import * as folders from '../folders/queries.ts';
import { storeNote } from '../notes/create.ts';
import * as recordings from '../recordings/queries.ts';
import { removeAbandoned } from '../recordings/uploads/queries.ts';
import * as snippets from '../snippets/queries.ts';
import { makeTags } from '../tags/tagging.ts';
import type { ImportedKind, Twin } from './queries.ts';
import * as queries from './queries.ts';

export type ImportCounts = Record<ImportedKind | 'tags', number> & {
  /** What was here already. */
  known: number;
  /** Recordings whose audio did not come along. */
  without_audio: number;
  /** Recordings that waited to be transcribed, and now do not. */
  not_transcribed: number;
};

/** What holds for the import of a person, and not for that of the operator. */
export interface ImportTerms {
  /** Whether a new record has the id that it had elsewhere. Somebody who sees that it has not, knows that the id is taken. */
  keepsIds: boolean;
  maxFolders: number;
  maxAudioBytes: number;
  /** Why waiting recordings may not be transcribed; null if they may. */
  refusal: string | null;
  /** The room that was promised to the audio. */
  reservation?: string | undefined;
}

/** What an import needs of its context. */
export type Importing = Pick<ActingContext<unknown>, 'database' | 'act' | 'parts'>;

/** How many tags a person may have is checked before anything is written. */
const anyNumber = Number.POSITIVE_INFINITY;
const audioIsGone = 'The audio of this recording did not come with the import. Upload it again.';

/** Writes what an export holds. Existing records stay as they are, so an import can be repeated after a fault. */
export async function importRecords(
  { database, parts }: Importing,
  userId: string,
  source: ImportSource,
  terms: ImportTerms,
): Promise<ImportCounts> {
  const { db } = database;
  const { keepAudio } = parts.config.recordings;
  const { storing } = parts.imports;
  const counts: ImportCounts = {
    folders: 0,
    tags: 0,
    notes: 0,
    transcriptions: 0,
    recordings: 0,
    dictionary_words: 0,
    snippets: 0,
    known: 0,
    without_audio: 0,
    not_transcribed: 0,
  };
  const twins = new Map<string, string>();
  /** Under its own id, as a copy, or under the id that it had before it went to another server. */
  async function placeOf(kind: ImportedKind, id: string): Promise<{ id: string; isHere: boolean }> {
    const owner = await queries.ownerOf(db, kind, id);
    if (owner === userId) return { id, isHere: true };
    const copy = idFor(userId, id);
    if ((await queries.ownerOf(db, kind, copy)) === userId) return { id: copy, isHere: true };
    const twin = twins.get(id);
    if (twin !== undefined) return { id: twin, isHere: true };
    return { id: terms.keepsIds && owner === undefined ? id : copy, isHere: false };
  }

  /** Inserts the records that are missing. `insert` says whether it did. */
  async function take<Item extends { id: string }>(
    kind: ImportedKind,
    items: AsyncIterable<Item>,
    insert: (item: Item) => Promise<boolean>,
    likenessOf?: (item: Item) => Twin,
  ): Promise<void> {
    for await (const item of items) {
      const { id, isHere } = await placeOf(kind, item.id);
      const twin = isHere || !likenessOf ? undefined : await queries.twinOf(db, userId, likenessOf(item));
      if (twin !== undefined) twins.set(item.id, twin);
      const isNew =
        !isHere &&
        twin === undefined &&
        (await insert({ ...item, id }).catch(async (cause: unknown) => {
          // Another server may have imported it meanwhile.
          if ((await placeOf(kind, item.id)).isHere) return false;
          throw cause;
        }));
      counts[isNew ? kind : 'known'] += 1;
    }
  }

  // An import that was killed leaves recordings that no server is receiving.
  await database.write((tx) => removeAbandoned({ database, tx }));
  const folderIds = new Map<string, string>();
  for await (const folder of source.folders()) {
    const name_key = sameTextKey(folder.name);
    const { id } = await placeOf('folders', folder.id);
    const find = async () =>
      (await folders.list(db, userId)).find((one) => one.id === id || sameTextKey(one.name) === name_key);
    const same = await find();
    const row = { ...folder, id, owner_id: userId, space_id: null };
    const add = () => database.write((tx) => addFolder({ database, tx }, row, terms.maxFolders));
    const made = same ?? (await add().catch(unlessConflict));
    const here = made ?? (await find());
    if (here) folderIds.set(folder.id, here.id);
    counts[made && !same ? 'folders' : 'known'] += 1;
  }

  for await (const { name, created_at: at } of source.tags()) {
    const place = { owner_id: userId, space_id: null, at };
    const made = await database.write((tx) => makeTags({ database, tx }, place, [name], anyNumber));
    counts[made.length > 0 ? 'tags' : 'known'] += 1;
  }

  const notes = source.notes(async (id) => (await placeOf('notes', id)).isHere);
  await take(
    'notes',
    notes,
    async (note: ImportedNote) => {
      const folder_id = note.folder_id === null ? null : (folderIds.get(note.folder_id) ?? null);
      const mine = { user_id: userId, owner_id: userId, edited_by: userId, edit: null, other_edit: null };
      const content_is_transcript = note.content_is_transcript && note.transcript !== null;
      const row = { ...note, ...mine, content_is_transcript, space_id: null, folder_id, tags: [] };
      const names = note.tags.map(({ name }) => name);
      const tagged = names.length > 0 ? { tags: { names }, maxTags: anyNumber } : {};
      // Another note here may have its client_note_id; then it gets its own id, as if the server had made it.
      if ((await storeNote(database, row, tagged)) === 'stored') return true;
      const anew = { ...row, client_note_id: row.id };
      return (await storeNote(database, anew, tagged)) === 'stored';
    },
    ({ created_at, client_note_id }) => ({ kind: 'notes', created_at, client_note_id }),
  );
  /** The id that a linked record has here, or null if it is not here. */
  async function linkHere(kind: ImportedKind, id: string | null): Promise<string | null> {
    const place = id === null ? undefined : await placeOf(kind, id);
    return place?.isHere ? place.id : null;
  }
  await take(
    'transcriptions',
    source.transcriptions(),
    async (record: ImportedTranscription) => {
      const note_id = await linkHere('notes', record.note_id);
      await database.write((tx) => queries.insertTranscription(tx, { ...record, user_id: userId, note_id }));
      return true;
    },
    ({ created_at, text }) => ({ kind: 'transcriptions', created_at, text }),
  );
  await take(
    'recordings',
    source.recordings(),
    async (record: ImportedRecording) => {
      const links = {
        transcription_id: await linkHere('transcriptions', record.transcription_id),
        note_id: await linkHere('notes', record.note_id),
      };
      // Before its row is visible: uploads that nothing receives are deleted every minute.
      storing.add(record.id);
      return takeRecording({ ...record, ...links, user_id: userId }).finally(() => storing.delete(record.id));
    },
    ({ created_at, name, bytes }) => ({ kind: 'recordings', created_at, name, bytes }),
  );
  await take('dictionary_words', source.dictionary(), async (entry) => {
    const [stored] = await database.write((tx) => dictionary.add(tx, userId, [entry]));
    return stored?.id === entry.id;
  });
  await take('snippets', source.snippets(), (snippet) =>
    database.write(async (tx) => {
      if ((await snippets.withTriggers(tx, userId, [snippet.trigger])).size > 0) return false;
      await snippets.insert(tx, userId, [snippet]);
      return true;
    }),
  );
  return counts;

  async function takeRecording({ audio, ...record }: ImportedRecording): Promise<boolean> {
    const wasOver = isOver(record.state);
    const comesAlong = audio !== undefined && record.has_audio && takesAudio(record, terms, keepAudio);
    // Stored like an upload, so that an import that breaks off here leaves nothing behind.
    const begun = { ...record, ...noWishes, has_audio: comesAlong, state: 'uploading' as const };
    const { reservation } = terms;
    const upload = { isResumable: false, length: null, reservation };
    await database.write((tx) => recordings.insert({ database, tx }, begun, upload));
    try {
      const type = comesAlong ? await storeAudio(parts, record.id, audio()) : null;
      const isLost = type === null && (record.has_audio || !wasOver);
      const error = type === null ? audioIsGone : terms.refusal;
      const state = error === null ? ('queued' as const) : ('failed' as const);
      if (isLost) counts.without_audio += 1;
      if (!wasOver && state === 'failed') counts.not_transcribed += 1;
      const finished = {
        ...record,
        ...type,
        has_audio: type !== null,
        keep_audio: record.keep_audio && keepAudio,
        ...(wasOver ? {} : { state, error, progress: 0 }),
      };
      return await database.write((tx) => queries.finishRecording(tx, finished));
    } catch (cause) {
      await database.write((tx) => recordings.abandon(tx, record.id));
      throw cause;
    }
  }
}

/** What it is by its content, as for an upload. Null if it is no audio. */
async function storeAudio({ audioStore, imports }: Parts, id: string, chunks: AsyncIterable<Uint8Array>) {
  const audio = await audioStore();
  let bytes = 0;
  await audio.append(id, 0, chunks, async (saved) => {
    bytes = saved;
  });
  const file = bytes === 0 ? undefined : await audio.open(id, bytes);
  const found = await (file && imports.identify(file).finally(() => file.close()));
  return found ? { bytes, media_type: mediaTypeOf(found.container) } : null;
}

/** What stays of the audio that an export brings. */
export const takesAudio = (
  { bytes, state }: Pick<ImportedRecording, 'bytes' | 'state'>,
  terms: Pick<ImportTerms, 'maxAudioBytes'>,
  keepAudio: boolean,
) => bytes <= terms.maxAudioBytes && (keepAudio || !isOver(state));

const isOver = (state: ImportedRecording['state']) => state === 'done' || state === 'failed';

/** Another request has made a folder of this name meanwhile. */
function unlessConflict(cause: unknown): undefined {
  if (!(cause instanceof AppError) || cause.code !== 'conflict') throw cause;
}

export const tooManyFolders = () =>
  new AppError('limit_reached', `You can have at most ${maxFoldersPerOwner} folders.`);
