import { z } from 'zod';
import { AppError } from '../domain/errors.ts';
import { exportFiles, exportFormat } from '../domain/export.ts';
import {
  type ImportSource,
  importedFolder,
  importedNote,
  importedSnippet,
  importedTranscription,
  importedWord,
} from '../domain/imported.ts';
import { openZip } from '../lib/zip.ts';

/** A note has at most a megabyte of each text; a transcription of an hour has about as much. */
const bounds = { maxLineBytes: 64_000_000, maxBytes: 50_000_000_000 };
const manifest = z.object({
  format: z.literal(exportFormat.format),
  version: z.literal(exportFormat.version),
});

/** What `GET /export` and `steno export` write. Raises `validation_error` for anything else. */
export async function zipSource(file: string): Promise<ImportSource & { close(): void }> {
  const zip = await openZip(file, bounds).catch((cause: unknown) => {
    throw notOurs(file, cause);
  });
  async function* records<Schema extends z.ZodType>(path: string, schema: Schema) {
    for await (const line of zip.lines(path)) {
      if (line === '') continue;
      const { data, error } = schema.safeParse(parseJson(line));
      if (error) throw notOurs(file, error);
      yield data;
    }
  }
  for await (const _ of records(exportFiles.manifest, manifest))
    return {
      folders: () => records(exportFiles.folders, importedFolder),
      notes: () => records(exportFiles.notes, importedNote),
      transcriptions: () => records(exportFiles.transcriptions, importedTranscription),
      dictionary: () => records(exportFiles.dictionary, importedWord),
      snippets: () => records(exportFiles.snippets, importedSnippet),
      close: zip.close,
    };
  throw notOurs(file);
}

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const notOurs = (file: string, cause?: unknown) =>
  new AppError('validation_error', `${file} is not an export of Steno, or it is damaged.`, { cause });
