import { randomBytes } from 'node:crypto';
import { mkdirSync, rmSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import type { Config } from '../config.ts';
import { AppError } from '../domain/errors.ts';
import { startTimeline } from '../features/changes/queries.ts';
import { version } from '../lib/version.ts';
import { openAudioStore } from '../platform/audio-store/index.ts';
import { listBackups, makeBackup, openBackup, rotate } from '../platform/backup/backups.ts';
import { type LastBackup, lastBackupName } from '../platform/backup/last.ts';
import { openPlace } from '../platform/backup/place.ts';
import { openBackups } from '../platform/database/backups.ts';
import { setInstalledValue } from '../platform/database/installation.ts';
import { openDatabase } from '../platform/database/open.ts';
import { type CliContext, type Printed, printing, prints, withServices } from './command.ts';
import { UsageError } from './errors.ts';
import { wholeNumber } from './input.ts';
import { type Column, table } from './output.ts';

interface BackupOptions {
  keep?: number;
  withoutAudio?: true;
}

interface RestoreOptions {
  at?: string;
  yes?: true;
  withoutAudio?: true;
  check?: true;
  list?: true;
}

const placeHelp = 'a folder, or an S3 store s3://… (default: STENO_BACKUP_URL)';

export function backupCommands(program: Command, context: CliContext): void {
  printing(
    program,
    'backup',
    'add a backup of everything to a place, each file with its SHA-256; servers can keep running',
    'backup /var/backups/steno --keep 7',
  )
    .argument('[place]', placeHelp)
    .option(
      '--keep <number>',
      'then delete all but the newest backups of the place',
      wholeNumber('--keep', 1, 999_999),
    )
    .option('--without-audio', 'leave out the audio of recordings')
    .action(
      prints(context, (place: string | undefined, options: BackupOptions) => backup(context, place, options)),
    );

  printing(
    program,
    'restore',
    'check a backup, and replace the database and the audio with it; stop all servers first',
    'restore /var/backups/steno --yes',
  )
    .argument('[place]', `${placeHelp}, or the file of a SQLite database`)
    .option('--at <backup>', 'the backup of that name (default: the newest)')
    .option('--yes', 'replace existing data; the old data is kept')
    .option('--without-audio', 'leave out the audio of recordings, and do not check it')
    .option('--check', 'only check the backup, and change nothing')
    .option('--list', 'only show the backups of the place')
    .action(
      prints(context, (place: string | undefined, options: RestoreOptions) =>
        restore(context, place, options),
      ),
    );
}

async function backup(
  context: CliContext,
  given: string | undefined,
  { keep, withoutAudio }: BackupOptions,
): Promise<Printed> {
  const config = context.config();
  const place = await openPlace(addressOf(config, given), openAudioStore);
  const copies = await openBackups(config);
  const audio = withoutAudio ? null : await openAudioStore(config.recordings);
  const at = new Date();
  const made = await makeBackup(
    { place, copies, audio, scratch: scratchFile(config) },
    { steno: version, at },
  );
  const { database, audio: recordings, left_out: left } = made.manifest;
  const deleted = keep === undefined ? [] : await rotate(place, keep);
  await noteBackup(config, { at: at.toISOString(), place: place.name });
  const lines = [
    `Wrote and checked the backup ${made.backup} in ${place.name}: the database (${megabytes(database.bytes)}) and the audio of ${recordings.length} recordings, ${made.sent} of them new.`,
  ];
  if (left.length > 0)
    lines.push(
      `Without the audio of ${left.length} recordings (${megabytes(sum(left))})${audio ? `, which the audio store does not have, for example ${left[0]?.id}` : ''}.`,
    );
  const data = {
    place: place.name,
    backup: made.backup,
    database_bytes: database.bytes,
    recordings: recordings.length,
    recordings_sent: made.sent,
    recordings_left_out: left.length,
    deleted,
  };
  return [data, [...lines, ...deleted.map((old) => `Deleted the backup ${old}.`)].join('\n')];
}

/** For `steno doctor` and /metrics. It does not migrate: people make a backup before an upgrade. */
async function noteBackup(config: Config, made: LastBackup): Promise<void> {
  const database = await openDatabase(config);
  try {
    await database.write((tx) => setInstalledValue(tx, lastBackupName, JSON.stringify(made)));
  } finally {
    await database.close();
  }
}

async function restore(
  context: CliContext,
  given: string | undefined,
  options: RestoreOptions,
): Promise<Printed> {
  const config = context.config();
  const address = addressOf(config, given);
  if (!address.startsWith('s3://')) {
    const found = statSync(resolve(address), { throwIfNoEntry: false });
    if (!found) throw new AppError('not_found', `There is no ${resolve(address)}; check its name.`);
    if (found.isFile()) return restoreFile(context, resolve(address), options);
  }
  const place = await openPlace(address, openAudioStore);
  if (options.list) {
    const rows = await listBackups(place);
    return [rows, table(rows, backupColumns, 'No backups.')];
  }
  const withAudio = !options.withoutAudio;
  const found = await openBackup(place, options.at, { withAudio });
  const copies = await openBackups(config);
  const { database, audio, left_out: left } = found.manifest;
  if (database.kind !== copies.kind)
    throw new AppError(
      'validation_error',
      `This backup is of ${named[database.kind]}, but the settings name ${named[copies.kind]}; set STENO_DATABASE_URL, or leave it empty, to match, and then use "steno move" if you want the other.`,
    );
  const without = left.length + (withAudio ? 0 : audio.length);
  const missing = without === 0 ? '' : ` Without the audio of ${without} recordings.`;
  if (options.check)
    return [
      { backup: found.backup, ok: true, recordings: audio.length, recordings_left_out: without },
      `The backup ${found.backup} is whole: the database and the audio of ${withAudio ? audio.length : 0} recordings.${missing}`,
    ];
  const scratch = scratchFile(config);
  try {
    await found.fetchDatabase(scratch);
    const { keptAside } = await copies.restore(scratch, {
      replace: options.yes ?? false,
      at: new Date(),
      first: async () => {
        if (withAudio) await found.fetchAudio(await openAudioStore(config.recordings));
      },
    });
    await beginAnew(context);
    return [
      { backup: found.backup, kept_aside: keptAside, recordings_left_out: without },
      restored(`the backup ${found.backup}`, keptAside) + missing,
    ];
  } finally {
    rmSync(scratch, { force: true });
  }
}

/** What a restore kept aside, or a backup of an earlier version: there are no digests, and SQLite's own check must do. */
async function restoreFile(context: CliContext, file: string, options: RestoreOptions): Promise<Printed> {
  const copies = await openBackups(context.config());
  if (options.check || options.list)
    throw new UsageError(
      `${file} is a file without a manifest; --check and --list are for places of backups.`,
    );
  const { keptAside } = await copies.restore(file, {
    replace: options.yes ?? false,
    at: new Date(),
    first: async () => {},
  });
  await beginAnew(context);
  return [
    { file, kept_aside: keptAside },
    `${restored(file, keptAside)} The file has no manifest, so it was checked by SQLite alone, and it brings no audio.`,
  ];
}

/** A new timeline: clients must not mistake restored changes for those they have seen. */
const beginAnew = (context: CliContext) =>
  withServices(context, ({ database }) => startTimeline(database, { always: true }));

const restored = (what: string, keptAside: string | null) =>
  `Restored ${what}.${keptAside === null ? '' : ` The old data is kept in ${keptAside}.`}`;

const named = { sqlite: 'SQLite', postgres: 'PostgreSQL' } as const;

function addressOf({ backupUrl }: Config, given: string | undefined): string {
  const address = given ?? backupUrl;
  if (address === '')
    throw new UsageError('Name a folder or an S3 store for backups, or set STENO_BACKUP_URL.');
  return address;
}

/** On the disk of the data, which has room for its database. */
function scratchFile({ dataDir }: Config): string {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  return join(dataDir, `backup.part-${randomBytes(4).toString('hex')}`);
}

const backupColumns: readonly Column<Awaited<ReturnType<typeof listBackups>>[number]>[] = [
  'backup',
  'database',
  { title: 'bytes', of: ({ bytes }) => megabytes(bytes) },
  'recordings',
  'left_out',
];

const sum = (files: readonly { bytes: number }[]) => files.reduce((total, { bytes }) => total + bytes, 0);
const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`;
