import { z } from 'zod';
import { AppError } from '../domain/errors.ts';
import { audioFolder, audioPath, exportFiles, exportFormat } from '../domain/export.ts';
import {
  type ImportSource,
  importedFolder,
  importedNote,
  importedRecording,
  importedSnippet,
  importedTranscription,
  importedWord,
} from '../domain/imported.ts';
import { findUnstorable } from '../lib/text.ts';
import { openZip, type ZipBounds } from '../lib/zip.ts';

/** A note has at most a megabyte of each text; a transcription of an hour has about as much. */
const bounds: ZipBounds = { maxLineBytes: 64_000_000, maxBytes: 50_000_000_000 };
const manifest = z.object({
  format: z.literal(exportFormat.format),
  version: z.literal(exportFormat.version),
});
const paths = new Set<string>(Object.values(exportFiles));

/** A file that somebody has sent. A long line holds up all other requests while it is parsed. */
export const sentBounds: ZipBounds = { maxLineBytes: 8_000_000, maxBytes: 2_000_000_000 };

/**
 * What `GET /export` and `steno export` write, at a path or in a file that is open already. `name` stands for it in messages.
 * Raises `validation_error` for anything else, and `payload_too_large`.
 */
export async function zipSource(
  file: string | number,
  { name = String(file), within = bounds }: { name?: string; within?: ZipBounds } = {},
): Promise<ImportSource & { close(): void }> {
  const explained = (cause: unknown) => explain(name, cause);
  const zip = await openZip(file, within, (path) => paths.has(path) || path.startsWith(audioFolder)).catch(
    (cause: unknown) => {
      throw explained(cause);
    },
  );
  async function* records<Schema extends z.ZodType>(path: string, schema: Schema) {
    try {
      for await (const line of zip.lines(path)) {
        if (line === '') continue;
        const { data, error } = schema.safeParse(parseJson(line));
        if (error || findUnstorable(data) !== undefined) throw explained(error);
        yield data;
      }
    } catch (cause) {
      throw explained(cause);
    }
  }
  try {
    let isOurs = false;
    for await (const _ of records(exportFiles.manifest, manifest)) isOurs = true;
    if (!isOurs) throw explained(undefined);
  } catch (cause) {
    zip.close();
    throw cause;
  }
  return {
    folders: () => records(exportFiles.folders, importedFolder),
    notes: () => records(exportFiles.notes, importedNote),
    transcriptions: () => records(exportFiles.transcriptions, importedTranscription),
    async *recordings() {
      for await (const record of records(exportFiles.recordings, importedRecording)) {
        const path = audioPath(record);
        yield { ...record, audio: zip.has(path) ? () => zip.bytes(path) : undefined };
      }
    },
    dictionary: () => records(exportFiles.dictionary, importedWord),
    snippets: () => records(exportFiles.snippets, importedSnippet),
    close: zip.close,
  };
}

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

function explain(name: string, cause: unknown): AppError {
  if (cause instanceof AppError) return cause;
  if (cause instanceof RangeError)
    return new AppError('payload_too_large', `${name} is too large: ${cause.message}.`, { cause });
  return new AppError('validation_error', `${name} is not an export of Steno, or it is damaged.`, { cause });
}
