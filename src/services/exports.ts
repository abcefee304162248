import { audioPath, exportFiles, exportFormat, markdownPath, toMarkdown } from '../domain/export.ts';
import type { Folder } from '../domain/folder.ts';
import { ownedBy } from '../domain/owner.ts';
import type { Position } from '../domain/page.ts';
import type { Principal } from '../domain/principal.ts';
import type { Recording } from '../domain/recording.ts';
import type { Scope } from '../domain/scopes.ts';
import { toSrt } from '../domain/subtitles.ts';
import type { ZipEntry } from '../lib/zip.ts';
import type { AudioStore } from '../ports/audio-store.ts';
import type { Clock } from '../ports/clock.ts';
import type { Store } from '../ports/store.ts';
import { ownerOf } from './owners.ts';

export type Exports = ReturnType<typeof createExports>;

/** Few, because a note may have a megabyte. */
const rowsPerRead = 25;
const bytesPerRead = 1_048_576;

/** Whose data, and which scopes open which part. Dictionary and recordings are personal, so a space has none. */
interface Exporter {
  readonly ownerId: string;
  readonly scopes: readonly Scope[];
}

interface Dependencies {
  store: Store;
  audioStore(): Promise<AudioStore>;
  clock: Clock;
}

/** Everything an owner has, as the files of one archive. A change made meanwhile may be in it or not. */
export function createExports({ store, audioStore, clock }: Dependencies) {
  async function* everyNote(ownerId: string) {
    yield* pages((page) => store.notes.listWhole(ownerId, page));
  }
  async function* everyTranscription(userId: string) {
    yield* pages((page) => store.transcriptions.list(ownedBy(userId), { ...page, withSegments: true }));
  }

  /** Without recordings that are still being uploaded. */
  async function* everyRecording(userId: string) {
    for await (const recording of pages((page) => store.recordings.list(ownedBy(userId), page)))
      if (recording.state !== 'uploading') yield recording;
  }

  /** It may be deleted while the export runs, or be lost. */
  async function isThere({ id, bytes }: Recording): Promise<boolean> {
    const file = await (await audioStore()).open(id, bytes);
    await file?.close();
    return file !== undefined;
  }

  async function* audioOf({ id, bytes }: Recording): AsyncGenerator<Uint8Array> {
    const file = await (await audioStore()).open(id, bytes);
    try {
      for (let at = 0; file && at < bytes; at += bytesPerRead)
        yield await file.read(at, Math.min(bytes, at + bytesPerRead));
    } finally {
      await file?.close();
    }
  }

  return {
    files,

    /** A zip of what the key may read. Raises `validation_error` (space_id) and `not_found` (a space of another workspace). */
    async of(principal: Principal, options: { space_id?: string | undefined }) {
      const { ownerId } = await ownerOf(store.spaces, principal, options.space_id);
      // Loaded only if used, like the driver of a database that is not in use.
      const { zipOf } = await import('../lib/zip.ts');
      return zipOf(files({ ownerId, scopes: principal.scopes }));
    },
  };

  async function* files({ ownerId, scopes }: Exporter): AsyncGenerator<ZipEntry> {
    // First, so that a database that does not answer is an error, and not half a zip.
    const folders = new Map<string, Folder>((await store.folders.list(ownerId)).map((one) => [one.id, one]));
    const manifest = { ...exportFormat, exported_at: new Date(clock()).toISOString() };
    yield { path: exportFiles.manifest, chunks: [`${JSON.stringify(manifest)}\n`] };
    yield { path: exportFiles.folders, chunks: jsonLines(folders.values()) };
    yield { path: exportFiles.notes, chunks: jsonLines(everyNote(ownerId)) };
    for await (const note of everyNote(ownerId)) {
      const folder = folders.get(note.folder_id ?? '');
      yield { path: markdownPath(note, folder), chunks: [toMarkdown(note, folder)] };
    }
    if (scopes.includes('dictionary:read'))
      yield {
        path: exportFiles.dictionary,
        chunks: jsonLines(pages((page) => store.dictionary.list(ownerId, page))),
      };
    if (scopes.includes('snippets:read'))
      yield {
        path: exportFiles.snippets,
        chunks: jsonLines(pages((page) => store.snippets.list(ownerId, page))),
      };
    if (!scopes.includes('transcriptions:read')) return;
    yield { path: exportFiles.transcriptions, chunks: jsonLines(everyTranscription(ownerId)) };
    for await (const { id, segments, audio_duration_ms } of everyTranscription(ownerId))
      if (segments?.some(({ text }) => text.trim() !== ''))
        yield {
          path: `subtitles/${id}.srt`,
          chunks: [toSrt(segments, audio_duration_ms === null ? undefined : audio_duration_ms / 1000)],
        };
    yield { path: exportFiles.recordings, chunks: jsonLines(everyRecording(ownerId)) };
    for await (const recording of everyRecording(ownerId))
      if (recording.has_audio && (await isThere(recording)))
        yield { path: audioPath(recording), chunks: audioOf(recording), isCompressed: true };
  }
}

async function* jsonLines(records: Iterable<object> | AsyncIterable<object>) {
  for await (const record of records) yield `${JSON.stringify(record)}\n`;
}

async function* pages<Row extends { id: string; created_at: string }>(
  read: (page: { limit: number; after?: Position | undefined }) => Promise<Row[]>,
): AsyncGenerator<Row> {
  let after: Position | undefined;
  while (true) {
    const rows = await read({ limit: rowsPerRead, after });
    yield* rows;
    const last = rows.at(-1);
    if (rows.length < rowsPerRead || !last) return;
    after = { at: last.created_at, id: last.id };
  }
}
