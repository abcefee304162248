import { setImmediate as nextTurn } from 'node:timers/promises';
import { AppError } from '../../domain/errors.ts';
import { audioPath, exportFiles, exportFormat, markdownPath, toMarkdown } from '../../domain/export.ts';
import type { Folder } from '../../domain/folder.ts';
import { ownedBy } from '../../domain/owner.ts';
import type { Position } from '../../domain/page.ts';
import type { Principal } from '../../domain/principal.ts';
import type { Recording } from '../../domain/recording.ts';
import type { Scope } from '../../domain/scopes.ts';
import { toSrt } from '../../domain/subtitles.ts';
import type { Clock } from '../../lib/clock.ts';
import { createTurns } from '../../lib/turns.ts';
import type { ZipEntry } from '../../lib/zip.ts';
import type { AudioStore } from '../../platform/audio-store/audio-store.ts';
import type { Database } from '../../platform/database/database.ts';
import type { Store } from '../../platform/database/ports/store.ts';
import * as dictionary from '../dictionary/queries.ts';
import { ownerOf } from '../recordings/owners.ts';
import * as snippets from '../snippets/queries.ts';

export type Exports = ReturnType<typeof createExports>;

const bytesPerRead = 1_048_576;
/** A note may have megabytes, so the next page is as large as the rows of the last one suggest. */
const rowsPerRead = { first: 4, most: 25, letters: 500_000 };
/** Each holds some rows, and the end of a file that its client has not taken yet. */
const maxAtOnce = 50;
/** A client that takes nothing for so long is gone. */
const defaultStalledMs = 300_000;

/** Whose data, and which scopes open which part. Dictionary and recordings are personal, so a space has none. */
interface Exporter {
  readonly ownerId: string;
  readonly scopes: readonly Scope[];
}

interface Dependencies {
  database: Database;
  store: Store;
  audioStore(): Promise<AudioStore>;
  clock: Clock;
  stalledMs?: number;
}

/** Everything an owner has, as the files of one archive. A change made meanwhile may be in it or not. */
export function createExports(dependencies: Dependencies) {
  const { database, store, audioStore, clock, stalledMs = defaultStalledMs } = dependencies;
  /** Whose exports are on their way. */
  const running = new Set<string>();
  const turns = createTurns();

  /** One page at a time, whoever asks, and between two pages there is room for requests. */
  async function* pages<Row extends { id: string; created_at: string }>(
    read: (page: { limit: number; after?: Position | undefined }) => Promise<Row[]>,
  ): AsyncGenerator<Row> {
    let after: Position | undefined;
    let limit: number = rowsPerRead.first;
    while (true) {
      const rows = await turns('page', async () => {
        await nextTurn();
        return read({ limit, after });
      });
      yield* rows;
      // There is one if this read was full.
      const last = rows[limit - 1];
      if (!last) return;
      after = { at: last.created_at, id: last.id };
      const largest = Math.max(...rows.map(lettersOf));
      limit = Math.max(1, Math.min(rowsPerRead.most, Math.floor(rowsPerRead.letters / (largest + 1))));
    }
  }

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

    /**
     * A zip of what the key may read, to be read to its end or destroyed. Raises `validation_error` (space_id), `not_found` (a
     * space of another workspace), `concurrency_limit` (one per person) and `service_unavailable`.
     */
    async of(principal: Principal, options: { space_id?: string | undefined }) {
      const { ownerId } = await ownerOf(store.spaces, principal, options.space_id);
      // Loaded only if used, like the driver of a database that is not in use.
      const { zipOf } = await import('../../lib/zip.ts');
      const { userId, scopes } = principal;
      if (running.has(userId))
        throw new AppError('concurrency_limit', 'Another export of yours is running. Wait until it is done.');
      if (running.size >= maxAtOnce)
        throw new AppError('service_unavailable', 'Too many exports are running. Try again in a minute.', {
          retryAfterSeconds: 60,
        });
      running.add(userId);
      try {
        await store.audit.record({ act: 'export.made', subject_id: ownerId });
      } catch (cause) {
        running.delete(userId);
        throw cause;
      }
      const stalled = setTimeout(() => zip.destroy(new Error('the client takes nothing')), stalledMs);
      const zip = zipOf(observed(files({ ownerId, scopes }), () => stalled.refresh()));
      zip.once('close', () => {
        clearTimeout(stalled);
        running.delete(userId);
      });
      return zip;
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
        chunks: jsonLines(pages((page) => dictionary.page(database.db, ownerId, page))),
      };
    if (scopes.includes('snippets:read'))
      yield {
        path: exportFiles.snippets,
        chunks: jsonLines(pages((page) => snippets.page(database.db, ownerId, page))),
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

/** Calls `taken` for each piece that somebody asks for. */
async function* observed(entries: AsyncIterable<ZipEntry>, taken: () => void): AsyncGenerator<ZipEntry> {
  async function* pieces(chunks: ZipEntry['chunks']) {
    for await (const chunk of chunks) {
      taken();
      yield chunk;
    }
  }
  for await (const entry of entries) yield { ...entry, chunks: pieces(entry.chunks) };
}

/** About the size of a row. A segment has its words with their times. */
const lettersPerSegment = 4_000;
const lettersOf = (row: object) =>
  Object.values(row).reduce<number>((sum, value) => {
    if (Array.isArray(value)) return sum + lettersPerSegment * value.length;
    return sum + (typeof value === 'string' ? value.length : 0);
  }, 0);
