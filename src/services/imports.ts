import { AppError } from '../domain/errors.ts';
import { maxFoldersPerOwner } from '../domain/folder.ts';
import {
  checkLengths,
  type ImportedNote,
  type ImportedRecording,
  type ImportSource,
  idFor,
} from '../domain/imported.ts';
import type { Principal } from '../domain/principal.ts';
import type { PersonalScope } from '../domain/scopes.ts';
import { sameTextKey } from '../lib/text.ts';
import type { AudioStore } from '../ports/audio-store.ts';
import type { ImportedKind } from '../ports/note-store.ts';
import type { Store } from '../ports/store.ts';

export type ImportCounts = Record<ImportedKind, number> & {
  /** What was here already. */
  known: number;
};

export type Imports = ReturnType<typeof createImports>;

type OpenSource = ImportSource & { close(): void };

interface Dependencies {
  store: Store;
  audioStore(): Promise<AudioStore>;
  /** Whether the operator allows audio to be kept. */
  keepAudio: boolean;
  /** Opens an export that somebody has sent. Always closes the file, at the latest with the source. */
  openSent(fd: number): Promise<OpenSource>;
}

/** Each of them may take a file on disk. */
const maxWaiting = 8;

/** Existing records stay as they are, so an import can be repeated after a fault. */
export function createImports({ store, audioStore, keepAudio, openSent }: Dependencies) {
  /** The users whose imports are running. */
  const running = new Set<string>();
  /** Imports run one after the other, which leaves time for other requests. */
  let last: Promise<unknown> = Promise.resolve();

  async function checkAll(userId: string, source: ImportSource): Promise<void> {
    const names = new Set((await store.folders.list(userId)).map(({ name }) => sameTextKey(name)));
    for await (const folder of source.folders()) {
      checkLengths(folder);
      names.add(sameTextKey(folder.name));
      if (names.size > maxFoldersPerOwner)
        throw new AppError('limit_reached', `You can have at most ${maxFoldersPerOwner} folders.`);
    }
    for await (const note of source.notes(async () => false)) checkLengths(note);
    for await (const _ of source.transcriptions());
    for await (const _ of source.recordings());
    for await (const word of source.dictionary()) checkLengths(word);
    for await (const snippet of source.snippets()) checkLengths(snippet);
  }

  /** For the operator. */
  async function run(userId: string, source: ImportSource): Promise<ImportCounts> {
    const counts: ImportCounts = {
      folders: 0,
      notes: 0,
      transcriptions: 0,
      recordings: 0,
      dictionary_words: 0,
      snippets: 0,
      known: 0,
    };
    /** The id keeps its value, unless somebody else has it here. */
    const idHere = async (kind: ImportedKind, id: string) =>
      [userId, undefined].includes(await store.imports.ownerOf(kind, id)) ? id : idFor(userId, id);
    const isHere = async (kind: ImportedKind, id: string) =>
      (await store.imports.ownerOf(kind, await idHere(kind, id))) === userId;

    /** Inserts the records that are missing. `insert` says whether it did. */
    async function take<Item extends { id: string }>(
      kind: ImportedKind,
      items: AsyncIterable<Item>,
      insert: (item: Item) => Promise<boolean>,
    ): Promise<void> {
      for await (const item of items) {
        const isNew =
          !(await isHere(kind, item.id)) && (await insert({ ...item, id: await idHere(kind, item.id) }));
        counts[isNew ? kind : 'known'] += 1;
      }
    }

    const folderIds = new Map<string, string>();
    for await (const folder of source.folders()) {
      const name_key = sameTextKey(folder.name);
      const mine = await store.folders.list(userId);
      const id = await idHere('folders', folder.id);
      const same = mine.find((one) => one.id === id || sameTextKey(one.name) === name_key);
      folderIds.set(folder.id, same?.id ?? id);
      counts[same ? 'known' : 'folders'] += 1;
      const row = { ...folder, id, owner_id: userId, space_id: null, name_key };
      if (!same) await store.folders.insert(row, Number.POSITIVE_INFINITY);
    }

    const notes = source.notes((id) => isHere('notes', id));
    await take('notes', notes, async (note: ImportedNote) => {
      const folder_id = note.folder_id === null ? null : (folderIds.get(note.folder_id) ?? null);
      const mine = { user_id: userId, owner_id: userId, edited_by: userId, edit: null, other_edit: null };
      const row = { ...note, ...mine, space_id: null, folder_id };
      const outcome = await store.notes.insert(row);
      // Another note here has its client_note_id; it gets its own id, as if the server had made it.
      if (outcome === 'known') return (await store.notes.insert({ ...row, client_note_id: row.id })) === 'ok';
      return outcome === 'ok';
    });
    /** The id that a linked record has here, or null if it is not here. */
    const linkHere = async (kind: ImportedKind, id: string | null) =>
      id !== null && (await isHere(kind, id)) ? idHere(kind, id) : null;
    await take('transcriptions', source.transcriptions(), async (record) => {
      const note_id = await linkHere('notes', record.note_id);
      await store.imports.insertTranscription({ ...record, user_id: userId, note_id });
      return true;
    });
    await take('recordings', source.recordings(), async ({ audio, ...record }: ImportedRecording) => {
      const isOver = record.state === 'done' || record.state === 'failed';
      const staysHere = audio !== undefined && record.has_audio && (keepAudio || !isOver);
      // Without its audio it can never be transcribed.
      if (!isOver && !staysHere) return false;
      const row = {
        ...record,
        user_id: userId,
        transcription_id: await linkHere('transcriptions', record.transcription_id),
        note_id: await linkHere('notes', record.note_id),
        has_audio: staysHere,
        keep_audio: record.keep_audio && keepAudio,
        ...(isOver ? {} : { state: 'queued' as const, progress: 0 }),
      };
      // Stored like an upload, so that an import that breaks off here leaves nothing behind.
      const wishes = { speakers: null, wants_note: false, note_space_id: null, note_folder_id: null };
      const begun = { ...row, ...wishes, state: 'uploading' as const };
      await store.recordings.insert(begun, { isResumable: false, length: null });
      let { bytes } = row;
      try {
        if (staysHere)
          await (await audioStore()).append(row.id, 0, audio(), async (saved) => {
            bytes = saved;
          });
      } catch (cause) {
        await store.recordings.abandon(row.id);
        throw cause;
      }
      return store.imports.finishRecording({ ...row, bytes });
    });
    await take('dictionary_words', source.dictionary(), async (entry) => {
      const row = { ...entry, word_key: sameTextKey(entry.word) };
      return (await store.dictionary.add(userId, [row]))[0]?.id === entry.id;
    });
    await take('snippets', source.snippets(), async (snippet) => {
      const row = { ...snippet, trigger_key: sameTextKey(snippet.trigger) };
      return (await store.snippets.insert(userId, row)) === 'ok';
    });
    return counts;
  }

  return {
    run,

    /**
     * Imports the parts of the user's export that the key may write. The whole file is checked before anything is
     * written. Raises `validation_error`, `payload_too_large`, `limit_reached` (folders) and `concurrency_limit`.
     */
    async takeSent(principal: Principal, receive: () => Promise<number>) {
      const { userId } = principal;
      if (running.has(userId) || running.size >= maxWaiting)
        throw new AppError('concurrency_limit', 'Another import is running; send this one when it is done.');
      running.add(userId);
      let source: OpenSource | undefined;
      try {
        const opened = await openSent(await receive());
        source = opened;
        const { allowed, left_out } = asFarAs(principal, opened);
        const work = last.then(async () => {
          await checkAll(userId, opened);
          return run(userId, allowed);
        });
        // Its own request gets the error; the next import begins either way.
        last = work.catch(() => {});
        return { ...(await work), left_out };
      } finally {
        source?.close();
        running.delete(userId);
      }
    },
  };
}

/** The scopes beside those for notes and folders, which the route requires. */
const scopesToTake = {
  transcriptions: 'transcriptions:write',
  recordings: 'transcriptions:write',
  dictionary: 'dictionary:write',
  snippets: 'snippets:write',
} as const satisfies Partial<Record<keyof ImportSource, PersonalScope>>;

/** What the key may not write, or a policy of its workspace forbids, is left out. */
function asFarAs({ scopes, blockedBy }: Principal, source: ImportSource) {
  async function* nothing() {}
  const mayTake = (kind: keyof typeof scopesToTake) =>
    scopes.includes(scopesToTake[kind]) &&
    (scopesToTake[kind] === 'transcriptions:write' || !blockedBy.includes('cloud backup'));
  const allowed: ImportSource = {
    folders: source.folders,
    notes: source.notes,
    transcriptions: mayTake('transcriptions') ? source.transcriptions : nothing,
    recordings: mayTake('recordings') ? source.recordings : nothing,
    dictionary: mayTake('dictionary') ? source.dictionary : nothing,
    snippets: mayTake('snippets') ? source.snippets : nothing,
  };
  const left_out = (['transcriptions', 'recordings', 'dictionary', 'snippets'] as const).filter(
    (kind) => !mayTake(kind),
  );
  return { allowed, left_out };
}
