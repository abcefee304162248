import { closeSync } from 'node:fs';
import { refusal, transcribeAccess } from '../domain/access.ts';
import { AppError } from '../domain/errors.ts';
import { maxFoldersPerOwner } from '../domain/folder.ts';
import {
  type CheckedRecording,
  type ImportedNote,
  type ImportedRecording,
  type ImportedTranscription,
  type ImportSource,
  idFor,
  type SentExport,
} from '../domain/imported.ts';
import type { Plans } from '../domain/plans.ts';
import type { Principal } from '../domain/principal.ts';
import { mediaTypeOf } from '../domain/recording.ts';
import type { PersonalScope } from '../domain/scopes.ts';
import { mustFit } from '../domain/storage.ts';
import { sameTextKey } from '../lib/text.ts';
import type { AudioDecoder } from '../ports/audio.ts';
import type { AudioStore } from '../ports/audio-store.ts';
import type { ImportedKind, Twin } from '../ports/note-store.ts';
import type { Store } from '../ports/store.ts';
import { createPlaces } from './places.ts';

export type ImportCounts = Record<ImportedKind, number> & {
  /** What was here already. */
  known: number;
  /** Recordings whose audio did not come along. */
  without_audio: number;
  /** Recordings that waited to be transcribed, and now do not. */
  not_transcribed: number;
};

export type Imports = ReturnType<typeof createImports>;

interface Dependencies {
  store: Store;
  audioStore(): Promise<AudioStore>;
  identify: AudioDecoder['identify'];
  plans: Plans;
  /** Whether the operator allows audio to be kept. */
  keepAudio: boolean;
  openSent(fd: number, signal: AbortSignal): SentExport;
}

/** What holds for the import of a person, and not for that of the operator. */
interface Terms {
  /** Whether a new record has the id that it had elsewhere. Somebody who sees that it has not, knows that the id is taken. */
  keepsIds: boolean;
  maxFolders: number;
  maxAudioBytes: number;
  /** Why waiting recordings may not be transcribed; null if they may. */
  refusal: string | null;
}

const operatorTerms: Terms = {
  keepsIds: true,
  maxFolders: Number.POSITIVE_INFINITY,
  maxAudioBytes: Number.POSITIVE_INFINITY,
  refusal: null,
};

/** Each has a thread. */
const maxAtOnce = 4;
/** Each may have a file of 100 MB on disk. */
const maxReceived = 40;
const audioIsGone = 'The audio of this recording did not come with the import. Upload it again.';

/** Existing records stay as they are, so an import can be repeated after a fault. */
export function createImports({ store, audioStore, identify, plans, keepAudio, openSent }: Dependencies) {
  /** Recordings whose audio is being stored. */
  const storing = new Set<string>();
  const places = createPlaces({ name: 'import', atOnce: maxAtOnce, inAll: maxReceived });

  async function checkFolders(userId: string, names: readonly string[]): Promise<void> {
    const mine = (await store.folders.list(userId)).map(({ name }) => sameTextKey(name));
    if (new Set([...mine, ...names]).size > maxFoldersPerOwner) throw tooManyFolders();
  }

  /** What stays of the audio that an export brings. */
  const takesAudio = ({ bytes, state }: Pick<CheckedRecording, 'bytes' | 'state'>, terms: Terms) =>
    bytes <= terms.maxAudioBytes && (keepAudio || !isOver(state));

  async function isRecordingHere(userId: string, { id, created_at, name, bytes }: CheckedRecording) {
    for (const one of [id, idFor(userId, id)])
      if ((await store.imports.ownerOf('recordings', one)) === userId) return true;
    const like: Twin = { kind: 'recordings', created_at, name, bytes };
    return (await store.imports.twinOf(userId, like)) !== undefined;
  }

  /** Before anything is written. What is here already takes no room again. */
  async function checkStorage({ userId, plan }: Principal, sent: readonly CheckedRecording[], terms: Terms) {
    const use = await store.recordings.storageUse(userId);
    let more = 0;
    for (const one of sent)
      if (takesAudio(one, terms) && !(await isRecordingHere(userId, one))) more += one.bytes;
    if (more > 0) mustFit(plans[plan], use, more);
  }

  async function run(userId: string, source: ImportSource, terms = operatorTerms): Promise<ImportCounts> {
    const counts: ImportCounts = {
      folders: 0,
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
      const owner = await store.imports.ownerOf(kind, id);
      if (owner === userId) return { id, isHere: true };
      const copy = idFor(userId, id);
      if ((await store.imports.ownerOf(kind, copy)) === userId) return { id: copy, isHere: true };
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
        const twin = isHere || !likenessOf ? undefined : await store.imports.twinOf(userId, likenessOf(item));
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

    // An import that was killed leaves recordings that are being received by nobody.
    await store.recordings.removeAbandoned();
    const folderIds = new Map<string, string>();
    for await (const folder of source.folders()) {
      const name_key = sameTextKey(folder.name);
      const { id } = await placeOf('folders', folder.id);
      const find = async () =>
        (await store.folders.list(userId)).find((one) => one.id === id || sameTextKey(one.name) === name_key);
      const same = await find();
      const row = { ...folder, id, owner_id: userId, space_id: null, name_key };
      const made = same ?? (await store.folders.insert(row, terms.maxFolders));
      if (made === 'limit reached') throw tooManyFolders();
      const here = made === 'conflict' ? await find() : made;
      if (here) folderIds.set(folder.id, here.id);
      counts[here === made && !same ? 'folders' : 'known'] += 1;
    }

    const notes = source.notes(async (id) => (await placeOf('notes', id)).isHere);
    await take(
      'notes',
      notes,
      async (note: ImportedNote) => {
        const folder_id = note.folder_id === null ? null : (folderIds.get(note.folder_id) ?? null);
        const mine = { user_id: userId, owner_id: userId, edited_by: userId, edit: null, other_edit: null };
        const row = { ...note, ...mine, space_id: null, folder_id };
        const outcome = await store.notes.insert(row);
        // Another note here has its client_note_id; it gets its own id, as if the server had made it.
        if (outcome === 'known')
          return (await store.notes.insert({ ...row, client_note_id: row.id })) === 'ok';
        return outcome === 'ok';
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
        await store.imports.insertTranscription({ ...record, user_id: userId, note_id });
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
        return takeRecording({ ...record, ...links, user_id: userId }).finally(() =>
          storing.delete(record.id),
        );
      },
      ({ created_at, name, bytes }) => ({ kind: 'recordings', created_at, name, bytes }),
    );
    await take('dictionary_words', source.dictionary(), async (entry) => {
      const row = { ...entry, word_key: sameTextKey(entry.word) };
      return (await store.dictionary.add(userId, [row]))[0]?.id === entry.id;
    });
    await take('snippets', source.snippets(), async (snippet) => {
      const row = { ...snippet, trigger_key: sameTextKey(snippet.trigger) };
      return (await store.snippets.insert(userId, row)) === 'ok';
    });
    return counts;

    async function takeRecording({ audio, ...record }: ImportedRecording): Promise<boolean> {
      const wasOver = isOver(record.state);
      const comesAlong = audio !== undefined && record.has_audio && takesAudio(record, terms);
      // Stored like an upload, so that an import that breaks off here leaves nothing behind.
      const wishes = { speakers: null, wants_note: false, note_space_id: null, note_folder_id: null };
      const begun = { ...record, ...wishes, has_audio: comesAlong, state: 'uploading' as const };
      await store.recordings.insert(begun, { isResumable: false, length: null });
      try {
        const type = comesAlong ? await storeAudio(record.id, audio()) : null;
        const isLost = type === null && (record.has_audio || !wasOver);
        const error = type === null ? audioIsGone : terms.refusal;
        const state = error === null ? ('queued' as const) : ('failed' as const);
        if (isLost) counts.without_audio += 1;
        if (!wasOver && state === 'failed') counts.not_transcribed += 1;
        return await store.imports.finishRecording({
          ...record,
          ...type,
          has_audio: type !== null,
          keep_audio: record.keep_audio && keepAudio,
          ...(wasOver ? {} : { state, error, progress: 0 }),
        });
      } catch (cause) {
        await store.recordings.abandon(record.id);
        throw cause;
      }
    }
  }

  /** What it is by its content, as for an upload. Null if it is no audio. */
  async function storeAudio(id: string, chunks: AsyncIterable<Uint8Array>) {
    const audio = await audioStore();
    let bytes = 0;
    await audio.append(id, 0, chunks, async (saved) => {
      bytes = saved;
    });
    const file = bytes === 0 ? undefined : await audio.open(id, bytes);
    const found = await (file && identify(file).finally(() => file.close()));
    return found ? { bytes, media_type: mediaTypeOf(found.container) } : null;
  }

  return {
    /** For the operator. */
    run: (userId: string, source: ImportSource) => run(userId, source),

    /**
     * Imports the parts of the user's export that the key may write. The whole file is checked before anything is
     * written. Raises `validation_error`, `payload_too_large`, `limit_reached` (folders), `plan_required` (storage),
     * `concurrency_limit`, and the client's reason.
     */
    takeSent(principal: Principal, receive: (signal: AbortSignal) => Promise<number>, client: AbortSignal) {
      const { userId, plan } = principal;
      const terms: Terms = {
        keepsIds: false,
        maxFolders: maxFoldersPerOwner,
        maxAudioBytes: plans[plan].recordingMaxBytes,
        refusal: refusal(transcribeAccess, principal, plans)?.message ?? null,
      };
      return places.admit(userId, client, async (signal, inPlace) => {
        const fd = await receive(signal);
        try {
          return await inPlace(async () => {
            const sent = openSent(fd, signal);
            try {
              const { allowed, left_out } = asFarAs(principal, sent);
              const { folderNames, recordings } = await sent.check();
              await checkFolders(userId, folderNames);
              if (!left_out.includes('recordings')) await checkStorage(principal, recordings, terms);
              return { ...(await run(userId, allowed, terms)), left_out };
            } finally {
              await sent.close();
            }
          });
        } finally {
          closeSync(fd);
        }
      });
    },

    /** Whether audio for it arrives now. */
    isStoring: (recordingId: string) => storing.has(recordingId),

    /** Ends what runs, and takes no more. */
    close: places.close,
  };
}

const isOver = (state: ImportedRecording['state']) => state === 'done' || state === 'failed';

const tooManyFolders = () =>
  new AppError('limit_reached', `You can have at most ${maxFoldersPerOwner} folders.`);

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
