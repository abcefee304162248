import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { BadSettings, type Config, readConfig } from './config.ts';
import { formatEnvFile, readEnvFile, type Settings } from './env-file.ts';
import { inheritOwner } from './lib/file-owner.ts';
import { syncToDisk } from './platform/database/backup-file.ts';
import { settings } from './settings.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const head =
  '# Written by the set-up in the console. The environment and --env-file come first (docs/admin.md).\n';
/** They say where this file is. */
const notHere = ['STENO_ENV_FILE', 'STENO_DATA_DIR'];

export const settingsFile = (dataDir: string) => join(dataDir, 'settings.env');

/** What was entered at set-up; nothing if there is no such file. */
export function readSettingsFile(dataDir: string): Settings {
  const file = settingsFile(dataDir);
  if (!existsSync(file)) return {};
  const found = readEnvFile(file, 'Let this user read it.');
  const wrong = Object.keys(found).filter((name) => !(name in settings.shape) || notHere.includes(name));
  if (wrong.length > 0)
    throw new BadSettings(
      wrong.map((name) => `${name} is no setting for ${file}; remove it there.`).join('\n'),
    );
  return found;
}

/** Adds values to the file. It is whole at any moment, and on the disk when this returns. The answer puts the old file back. */
export function addToSettingsFile(dataDir: string, values: Settings): () => void {
  const file = settingsFile(dataDir);
  const before = existsSync(file) ? readFileSync(file, 'utf8') : undefined;
  replace(file, head + formatEnvFile({ ...readSettingsFile(dataDir), ...values }));
  return () => replace(file, before);
}

function replace(file: string, text: string | undefined): void {
  if (text === undefined) rmSync(file, { force: true });
  else {
    const fresh = `${file}.new`;
    // A new file: an old one might be open to others.
    rmSync(fresh, { force: true });
    writeFileSync(fresh, text, { mode: 0o600, flag: 'wx', flush: true });
    inheritOwner(fresh);
    renameSync(fresh, file);
  }
  syncToDisk(dirname(file));
}

/** An empty value counts as not set. */
export const withoutEmpty = (env: Environment): Environment =>
  Object.fromEntries(Object.entries(env).filter(([, value]) => value));

/** The settings of the environment, and below them the settings of set-up. */
export function readAllSettings(env: Environment): Config {
  const given = withoutEmpty(env);
  const dataDir = resolve(settings.shape.STENO_DATA_DIR.parse(given.STENO_DATA_DIR));
  return readConfig({ ...readSettingsFile(dataDir), ...given });
}
