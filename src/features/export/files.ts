import { setImmediate as nextTurn } from 'node:timers/promises';
import { audioPath, exportFiles, exportFormat, markdownPath, toMarkdown } from '../../domain/export.ts';
import type { Folder } from '../../domain/folder.ts';
import { ownedBy } from '../../domain/owner.ts';
import type { Position } from '../../domain/page.ts';
import type { Recording } from '../../domain/recording.ts';
import type { Scope } from '../../domain/scopes.ts';
import { toSrt } from '../../domain/subtitles.ts';
import type { Context, Writing } from '../../kernel/context.ts';
import type { Parts } from '../../kernel/parts.ts';
import { createTurns } from '../../lib/turns.ts';
import type { ZipEntry } from '../../lib/zip.ts';
import { workspaceOf } from '../../platform/database/audit.ts';
import type { Database } from '../../platform/database/database.ts';
import * as dictionary from '../dictionary/queries.ts';
import * as folders from '../folders/queries.ts';
import * as notes from '../notes/queries.ts';
import * as recordings from '../recordings/queries.ts';
import * as snippets from '../snippets/queries.ts';
import * as tags from '../tags/queries.ts';
import * as transcriptions from '../transcriptions/queries.ts';

const bytesPerRead = 1_048_576;
/** A note may have megabytes, so the next page is as large as the rows of the last one suggest. */
const rowsPerRead = { first: 4, most: 25, letters: 500_000 };
/** A client that takes nothing for so long is gone. */
const stalledMs = 300_000;
const inTurn = createTurns();

/** Whose data, and which scopes open which part. Dictionary and recordings are personal, so a space has none. */
interface Exporter {
  readonly ownerId: string;
  readonly scopes: readonly Scope[];
}

type Reading = Pick<Context<unknown>, 'database' | 'now'> & { parts: Pick<Parts, 'audioStore'> };

/** In the log of the workspace too, if a space of it is exported. */
export const recordExport = async ({ tx, audit }: Writing, ownerId: string): Promise<void> =>
  audit({ act: 'export.made', subject_id: ownerId, workspace_id: await workspaceOf(tx, ownerId) });

/** A zip of these files, to be read to its end or destroyed. */
export async function archiveOf(context: Reading, whose: Exporter) {
  // Loaded only if used, like the driver of a database that is not in use.
  const { zipOf } = await import('../../lib/zip.ts');
  const stalled = setTimeout(() => zip.destroy(new Error('the client takes nothing')), stalledMs);
  const zip = zipOf(observed(filesOf(context, whose), () => stalled.refresh()));
  return zip.once('close', () => clearTimeout(stalled));
}

/** Everything an owner has, as the files of one archive. A change made meanwhile may be in it or not. */
export async function* filesOf(context: Reading, { ownerId, scopes }: Exporter): AsyncGenerator<ZipEntry> {
  const { database, now, parts } = context;
  const { db } = database;
  const reader = ownedBy(ownerId);
  const everyNote = () => pages((page) => notes.listWhole(db, ownerId, page));
  const everyTranscription = () =>
    pages((page) => transcriptions.page(db, reader, { ...page, withSegments: true }));

  // First, so that a database that does not answer is an error, and not half a zip.
  const folderOf = new Map<string, Folder>((await folders.list(db, ownerId)).map((one) => [one.id, one]));
  yield {
    path: exportFiles.manifest,
    chunks: [`${JSON.stringify({ ...exportFormat, exported_at: now })}\n`],
  };
  yield { path: exportFiles.folders, chunks: jsonLines(folderOf.values()) };
  yield { path: exportFiles.tags, chunks: jsonLines(await tags.list(db, ownerId)) };
  yield { path: exportFiles.notes, chunks: jsonLines(everyNote()) };
  for await (const note of everyNote()) {
    const folder = folderOf.get(note.folder_id ?? '');
    yield { path: markdownPath(note, folder), chunks: [toMarkdown(note, folder)] };
  }
  if (scopes.includes('dictionary:read'))
    yield {
      path: exportFiles.dictionary,
      chunks: jsonLines(pages((page) => dictionary.page(db, ownerId, page))),
    };
  if (scopes.includes('snippets:read'))
    yield {
      path: exportFiles.snippets,
      chunks: jsonLines(pages((page) => snippets.page(db, ownerId, page))),
    };
  if (!scopes.includes('transcriptions:read')) return;
  yield { path: exportFiles.transcriptions, chunks: jsonLines(everyTranscription()) };
  for await (const { id, segments, audio_duration_ms } of everyTranscription())
    if (segments?.some(({ text }) => text.trim() !== ''))
      yield {
        path: `subtitles/${id}.srt`,
        chunks: [toSrt(segments, audio_duration_ms === null ? undefined : audio_duration_ms / 1000)],
      };
  yield { path: exportFiles.recordings, chunks: jsonLines(everyRecording(database, ownerId)) };
  for await (const recording of everyRecording(database, ownerId))
    if (recording.has_audio && (await isThere(parts, recording)))
      yield { path: audioPath(recording), chunks: audioOf(parts, recording), isCompressed: true };
}

/** Without recordings that are still being uploaded. */
async function* everyRecording({ db }: Database, userId: string) {
  for await (const recording of pages((page) => recordings.page(db, ownedBy(userId), page)))
    if (recording.state !== 'uploading') yield recording;
}

/** All rows. One page at a time for all exports together, and between two pages there is room for requests. */
export async function* pages<Row extends { id: string; created_at: string }>(
  read: (page: { limit: number; after?: Position | undefined }) => Promise<Row[]>,
): AsyncGenerator<Row> {
  let after: Position | undefined;
  let limit: number = rowsPerRead.first;
  while (true) {
    const rows = await inTurn('page', async () => {
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

/** It may be deleted while the export runs, or be lost. */
async function isThere({ audioStore }: Reading['parts'], { id, bytes }: Recording): Promise<boolean> {
  const file = await (await audioStore()).open(id, bytes);
  await file?.close();
  return file !== undefined;
}

async function* audioOf({ audioStore }: Reading['parts'], { id, bytes }: Recording) {
  const file = await (await audioStore()).open(id, bytes);
  try {
    for (let at = 0; file && at < bytes; at += bytesPerRead)
      yield await file.read(at, Math.min(bytes, at + bytesPerRead));
  } finally {
    await file?.close();
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
