import type { Command } from 'commander';
import { openBackups } from '../store/backups.ts';
import { type CliContext, withServices } from './context.ts';
import { example } from './help.ts';
import { answer, type OutputOptions, withJson } from './output.ts';

export function backupCommands(program: Command, context: CliContext): void {
  withJson(program.command('backup'))
    .description('copy the whole database to a file; servers can keep running')
    .argument('<file>', 'the file to write; only you can read it')
    .option('--force', 'replace the file if it exists')
    .addHelpText('after', example('backup "notes-$(date +%F).backup"'))
    .action(async (target: string, options: OutputOptions & { force?: true }) => {
      const backups = await openBackups(context.config());
      const done = await backups.backup(target, { force: options.force ?? false });
      answer(context, options, done, () => `Wrote and checked ${done.file} (${megabytes(done.bytes)}).`);
    });

  withJson(program.command('restore'))
    .description('replace the database with a backup; stop all servers first')
    .argument('<file>', 'a file that "steno backup" wrote')
    .option('--yes', 'replace existing data; the old data is kept')
    .addHelpText('after', example('restore notes-2026-11-15.backup --yes'))
    .action(async (file: string, options: OutputOptions & { yes?: true }) => {
      const backups = await openBackups(context.config());
      const { keptAside } = await backups.restore(file, { replace: options.yes ?? false, at: new Date() });
      // Programs that follow the changes must not take the restored ones for those they know.
      await withServices(context, ({ store }) => store.changes.startOver({ always: true }));
      answer(context, options, { file, kept_aside: keptAside }, () =>
        keptAside === null ? `Restored ${file}.` : `Restored ${file}. The old data is kept in ${keptAside}.`,
      );
    });
}

const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;
