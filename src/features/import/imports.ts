import { randomUUID } from 'node:crypto';
import { closeSync } from 'node:fs';
import { refusal, transcribeAccess } from '../../domain/access.ts';
import { maxFoldersPerOwner } from '../../domain/folder.ts';
import { type CheckedRecording, type ImportSource, idFor, type SentExport } from '../../domain/imported.ts';
import type { Plans } from '../../domain/plans.ts';
import type { Principal } from '../../domain/principal.ts';
import type { PersonalScope } from '../../domain/scopes.ts';
import type { AudioDecoder } from '../../engines/ports/audio.ts';
import { sameTextKey } from '../../lib/text.ts';
import type { AudioStore } from '../../platform/audio-store/audio-store.ts';
import type { Database } from '../../platform/database/database.ts';
import type { Twin } from '../../platform/database/ports/note-store.ts';
import type { Store } from '../../platform/database/ports/store.ts';
import { createPlaces } from './places.ts';
import { createRecordImport, type ImportTerms, takesAudio, tooManyFolders } from './records.ts';

export type Imports = ReturnType<typeof createImports>;

interface Dependencies {
  database: Database;
  store: Store;
  audioStore(): Promise<AudioStore>;
  identify: AudioDecoder['identify'];
  plans: Plans;
  /** Whether the operator allows audio to be kept. */
  keepAudio: boolean;
  openSent(fd: number, signal: AbortSignal): SentExport;
}

const operatorTerms: ImportTerms = {
  keepsIds: true,
  maxFolders: Number.POSITIVE_INFINITY,
  maxAudioBytes: Number.POSITIVE_INFINITY,
  refusal: null,
};

/** Each has a thread. */
const maxAtOnce = 4;
/** Each may have a file of 100 MB on disk. */
const maxReceived = 40;

/** Who may import what, how much of it, and how many at once. */
export function createImports(dependencies: Dependencies) {
  const { store, plans, keepAudio, openSent } = dependencies;
  /** Recordings whose audio is being stored, and promises of storage. */
  const storing = new Set<string>();
  const importRecords = createRecordImport({ ...dependencies, storing });
  const run: typeof importRecords = async (userId, source, terms) => {
    await store.audit.record({ act: 'import.made', subject_id: userId });
    return importRecords(userId, source, terms);
  };
  const places = createPlaces({ name: 'import', atOnce: maxAtOnce, inAll: maxReceived });

  async function checkFolders(userId: string, names: readonly string[]): Promise<void> {
    const mine = (await store.folders.list(userId)).map(({ name }) => sameTextKey(name));
    if (new Set([...mine, ...names]).size > maxFoldersPerOwner) throw tooManyFolders();
  }

  async function isRecordingHere(userId: string, { id, created_at, name, bytes }: CheckedRecording) {
    for (const one of [id, idFor(userId, id)])
      if ((await store.imports.ownerOf('recordings', one)) === userId) return true;
    const like: Twin = { kind: 'recordings', created_at, name, bytes };
    return (await store.imports.twinOf(userId, like)) !== undefined;
  }

  /** Raises `plan_required` before anything is written. What is here already takes no room again. */
  async function withRoom<Result>(
    { userId, plan }: Principal,
    sent: readonly CheckedRecording[],
    terms: ImportTerms,
    work: (terms: ImportTerms) => Promise<Result>,
  ): Promise<Result> {
    let bytes = 0;
    for (const one of sent)
      if (takesAudio(one, terms, keepAudio) && !(await isRecordingHere(userId, one))) bytes += one.bytes;
    if (bytes === 0) return work(terms);
    const reservation = randomUUID();
    // Before its row is visible: promises that no import has are freed every minute.
    storing.add(reservation);
    try {
      await store.recordings.reserveStorage(reservation, userId, bytes, plans[plan]);
      return await work({ ...terms, reservation });
    } finally {
      // Silent: if the database is away, it is freed a minute later.
      await store.recordings.freeStorage(reservation).catch(() => {});
      storing.delete(reservation);
    }
  }

  return {
    /** For the operator. */
    run: (userId: string, source: ImportSource) => run(userId, source, operatorTerms),

    /**
     * Imports the parts of the user's export that the key may write. The whole file is checked before anything is
     * written. Raises `validation_error`, `payload_too_large`, `limit_reached` (folders), `plan_required` (storage),
     * `concurrency_limit`, and the client's reason.
     */
    takeSent(principal: Principal, receive: (signal: AbortSignal) => Promise<number>, client: AbortSignal) {
      const { userId, plan } = principal;
      const terms: ImportTerms = {
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
              const audio = left_out.includes('recordings') ? [] : recordings;
              const counts = await withRoom(principal, audio, terms, (given) => run(userId, allowed, given));
              return { ...counts, left_out };
            } finally {
              await sent.close();
            }
          });
        } finally {
          closeSync(fd);
        }
      });
    },

    /** Whether audio for this recording, or for this promise of storage, arrives now. */
    isStoring: (id: string) => storing.has(id),

    /** Ends what runs, and takes no more. */
    close: places.close,
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
