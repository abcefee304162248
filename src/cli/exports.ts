import { createWriteStream, existsSync } from 'node:fs';
import { rename, rm, stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import type { Command } from 'commander';
import { AppError } from '../domain/errors.ts';
import type { ImportSource } from '../domain/imported.ts';
import { personalScopes } from '../domain/scopes.ts';
import { filesOf, recordExport } from '../features/export/files.ts';
import { importAs } from '../features/import/imports.ts';
import { type CliContext, printing, printsFrom } from './command.ts';
import { UsageError } from './errors.ts';
import { chooseUser } from './input.ts';

interface ImportOptions {
  user?: string;
  from?: string;
  key?: string;
}

export function exportCommands(program: Command, context: CliContext): void {
  printing(
    program,
    'export',
    'write everything that a user has to a zip: Markdown, JSON lines, subtitles and audio',
    'export notes.zip --user ada@example.org',
  )
    .argument('<file>', 'the file to write; only you can read it')
    .option('--user <user>', 'whose data: id or e-mail address (default: the only user)')
    .option('--force', 'replace the file if it exists')
    .action(
      printsFrom(context, async (services, file: string, options: { user?: string; force?: true }) => {
        const { database, act, look } = services;
        if (existsSync(file) && !options.force)
          throw new AppError('conflict', `${file} exists. Add --force to replace it.`);
        const { id } = await chooseUser(database.db, options.user, '--user');
        const { zipOf } = await import('../lib/zip.ts');
        const part = `${file}.part`;
        await act((writing) => recordExport(writing, id));
        try {
          const files = filesOf(look(), { ownerId: id, scopes: personalScopes });
          await pipeline(zipOf(files), createWriteStream(part, { mode: 0o600 }));
          await rename(part, file);
        } catch (cause) {
          await rm(part, { force: true });
          throw cause;
        }
        const { size } = await stat(file);
        return [{ file, bytes: size }, `Wrote ${file}.`];
      }),
    );

  printing(
    program,
    'import',
    'add what is in an export, in a folder of Markdown, or on another server',
    'import ~/Vault --user ada@example.org',
  )
    .argument('[source]', 'a file that "steno export" wrote, or a folder of Markdown files')
    .option('--user <user>', 'who gets it: id or e-mail address (default: the only user)')
    .option('--from <url>', 'the address of another server of this API')
    .option('--key <key>', 'your personal key on that server (or set STENO_IMPORT_KEY)')
    .action(
      printsFrom(context, async (services, source: string | undefined, options: ImportOptions) => {
        const { database, look } = services;
        const { id } = await chooseUser(database.db, options.user, '--user');
        const leftOut: string[] = [];
        const { close, ...opened } = await openSource(source, options, context, {
          ownerId: id,
          leaveOut: (file) => leftOut.push(file),
        });
        const counts = await importAs(look(), id, opened).finally(close);
        const lines = [
          `Added ${counts.notes} notes, ${counts.folders} folders, ${counts.tags} tags, ${counts.transcriptions} transcriptions, ${counts.recordings} recordings, ${counts.dictionary_words} words and ${counts.snippets} snippets. ${counts.known} were here already.`,
          ...leftOut.map((file) => `Left out ${file}: it is larger than a megabyte or not text.`),
        ];
        return [{ ...counts, left_out: leftOut }, lines.join('\n')];
      }),
    );
}

async function openSource(
  source: string | undefined,
  { from, key = '' }: ImportOptions,
  { env }: CliContext,
  markdown: { ownerId: string; leaveOut(file: string): void },
): Promise<ImportSource & { close(): void }> {
  if ((source === undefined) === (from === undefined))
    throw new UsageError('Name a file or a folder, or another server with --from.');
  if (from !== undefined) {
    const secret = key || env.STENO_IMPORT_KEY;
    if (!URL.canParse(from) || !secret)
      throw new UsageError('--from needs an address like https://notes.example.org, and --key a key of it.');
    const { serverSource } = await import('../features/import/server-source.ts');
    return { ...serverSource(from, secret), close() {} };
  }
  const path = source ?? '';
  const found = await stat(path).catch(() => undefined);
  if (!found) throw new AppError('not_found', `There is no ${path}; check its name.`);
  if (!found.isDirectory()) return (await import('../features/import/zip-source.ts')).zipSource(path);
  const { markdownSource } = await import('../features/import/markdown-source.ts');
  return { ...markdownSource(path, markdown.ownerId, markdown.leaveOut), close() {} };
}
