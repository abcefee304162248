import type { Command } from 'commander';
import type { Config } from '../config.ts';
import { copyAudio, createAudioFolder, openAudioStore } from '../recordings/audio-store/index.ts';
import { openBackups } from '../store/backups.ts';
import { type CliContext, withServices } from './context.ts';
import { example } from './help.ts';
import { answer, type OutputOptions, withJson } from './output.ts';

export function backupCommands(program: Command, context: CliContext): void {
  withJson(program.command('backup'))
    .description(
      'copy the whole database to a file, and the audio of recordings to a folder beside it; servers can keep running',
    )
    .argument('<file>', 'the file to write; only you can read it')
    .option('--force', 'replace the file if it exists')
    .addHelpText('after', example('backup "notes-$(date +%F).backup"'))
    .action(async (target: string, options: OutputOptions & { force?: true }) => {
      const config = context.config();
      const backups = await openBackups(config);
      const audioStore = await openAudioStore(config.recordings);
      const done = await backups.backup(target, { force: options.force ?? false });
      const copied = await copyAudio(audioStore, audioBeside(done.file));
      answer(context, options, { ...done, recordings: copied }, () =>
        [
          `Wrote and checked ${done.file} (${megabytes(done.bytes)}).`,
          ...(copied > 0 ? [`Copied the audio of ${copied} recordings to ${done.file}${besideEnding}.`] : []),
        ].join('\n'),
      );
    });

  withJson(program.command('restore'))
    .description(
      'replace the database with a backup, and bring back the audio of its recordings; stop all servers first',
    )
    .argument('<file>', 'a file that "steno backup" wrote')
    .option('--yes', 'replace existing data; the old data is kept')
    .addHelpText('after', example('restore notes-2026-11-15.backup --yes'))
    .action(async (file: string, options: OutputOptions & { yes?: true }) => {
      const config = context.config();
      const backups = await openBackups(config);
      const { keptAside } = await backups.restore(file, { replace: options.yes ?? false, at: new Date() });
      // A new timeline: clients must not mistake restored changes for those they have seen.
      await withServices(context, ({ store }) => store.changes.startOver({ always: true }));
      await restoreAudio(config, file);
      answer(context, options, { file, kept_aside: keptAside }, () =>
        keptAside === null ? `Restored ${file}.` : `Restored ${file}. The old data is kept in ${keptAside}.`,
      );
    });
}

/** A folder beside the backup file; audio that is already there is not copied again. */
const besideEnding = '.recordings';
const audioBeside = (file: string) => createAudioFolder(file + besideEnding);

async function restoreAudio({ recordings }: Config, file: string): Promise<void> {
  await copyAudio(audioBeside(file), await openAudioStore(recordings));
}

const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;
