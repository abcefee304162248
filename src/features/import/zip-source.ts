import { isUtf8 } from 'node:buffer';
import { z } from 'zod';
import { AppError } from '../../domain/errors.ts';
import { audioFolder, audioPath, exportFiles, exportFormat } from '../../domain/export.ts';
import {
  type ImportSource,
  importedFolder,
  importedNote,
  importedRecording,
  importedSnippet,
  importedTag,
  importedTranscription,
  importedWord,
} from '../../domain/imported.ts';
import { explainIssues } from '../../lib/explain-issues.ts';
import { isWithin } from '../../lib/json-shape.ts';
import { findUnstorable } from '../../lib/text.ts';
import { openZip, type ZipBounds } from '../../lib/zip.ts';
import { isMarkdownPath, markdownZipSource } from './markdown-source.ts';

/** For a file of the operator. A record with the times of all words of ten hours has about 7 MB. */
const bounds: ZipBounds = { maxLineBytes: 64_000_000, maxBytes: 50_000_000_000 };
/** A transcription has five levels, and one of ten hours half a million values. */
const jsonBounds = { maxDepth: 8, maxValues: 1_000_000 };
const manifest = z.object({
  format: z.literal(exportFormat.format),
  version: z.literal(exportFormat.version),
});
const paths = new Set<string>(Object.values(exportFiles));
const maxPathLength = 300;

/** For a file that somebody has sent: a zip of 20 kB can hold 20 MB of nothing. */
export const sentBounds = (sentBytes: number): ZipBounds => ({
  maxLineBytes: 12_000_000,
  maxBytes: Math.min(20_000_000 + 50 * sentBytes, 2_000_000_000),
  maxLines: 1_000_000,
  maxEntries: 2_000_000,
});

/**
 * What `GET /export` and `steno export` write, or files of Markdown, at a path or in a file that is open already. `name` stands
 * for it in messages. Raises `validation_error` for anything else, and `payload_too_large`.
 */
export async function zipSource(
  file: string | number,
  { name = String(file), within = bounds }: { name?: string; within?: ZipBounds } = {},
): Promise<ImportSource & { audioAt(path: string): AsyncIterable<Uint8Array>; close(): void }> {
  const explained = (cause: unknown) => explain(name, cause);
  let isOurs = false;
  function isWanted(path: string): boolean {
    // The first of an export. Its Markdown is for people.
    isOurs ||= path === exportFiles.manifest;
    if (!isOurs && isMarkdownPath(path)) return true;
    return paths.has(path) || (path.startsWith(audioFolder) && path.length <= maxPathLength);
  }
  const zip = await openZip(file, within, isWanted).catch((cause: unknown) => {
    throw explained(cause);
  });
  async function* records<Schema extends z.ZodType>(path: string, schema: Schema) {
    let position = 0;
    try {
      for await (const line of zip.lines(path)) {
        position += 1;
        const given = parseJson(line);
        const { data, error } = schema.safeParse(given);
        if (error) {
          const [sentence] = explainIssues(schema, given, error, 'The record');
          const where = `${path} of ${name.replace(/^The /, 'the ')}, record ${position}`;
          throw new AppError('validation_error', `${where}: ${sentence}`, { cause: error });
        }
        yield data;
      }
    } catch (cause) {
      throw explained(cause);
    }
  }
  async function* audioAt(path: string) {
    try {
      yield* zip.bytes(path);
    } catch (cause) {
      throw explained(cause);
    }
  }
  if (!isOurs && zip.files().some(({ path }) => isMarkdownPath(path)))
    return { ...markdownZipSource({ files: zip.files, bytes: audioAt }), audioAt, close: zip.close };
  try {
    let isKnown = false;
    for await (const _ of records(exportFiles.manifest, manifest)) isKnown = true;
    if (!isKnown) throw explained(undefined);
  } catch (cause) {
    zip.close();
    throw cause;
  }
  return {
    folders: () => records(exportFiles.folders, importedFolder),
    tags: () => records(exportFiles.tags, importedTag),
    notes: () => records(exportFiles.notes, importedNote),
    transcriptions: () => records(exportFiles.transcriptions, importedTranscription),
    async *recordings() {
      for await (const record of records(exportFiles.recordings, importedRecording)) {
        const path = audioPath(record);
        yield { ...record, audio: zip.has(path) ? () => audioAt(path) : undefined };
      }
    },
    dictionary: () => records(exportFiles.dictionary, importedWord),
    snippets: () => records(exportFiles.snippets, importedSnippet),
    audioAt,
    close: zip.close,
  };
}

/** Raises an error for what no request could bring. */
function parseJson(line: Buffer): unknown {
  if (!isWithin(line, jsonBounds) || !isUtf8(line)) throw new Error('the JSON is too deep, or no text');
  let value: unknown;
  try {
    value = JSON.parse(line.toString('utf8'));
  } catch {
    // The message of the parser quotes the text.
    throw new Error('a line is no JSON');
  }
  if (findUnstorable(value) !== undefined) throw new Error('a text that cannot be stored');
  return value;
}

function explain(name: string, cause: unknown): AppError {
  if (cause instanceof AppError) return cause;
  if (cause instanceof RangeError)
    return new AppError('payload_too_large', `${name} is too large: ${cause.message}.`, { cause });
  return new AppError(
    'validation_error',
    `${name} is not an export of Steno and has no Markdown in it, or it is damaged.`,
    { cause },
  );
}
