import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import type { Config } from '../config.ts';
import { broken, type Check, ok, reasonOf, warning } from '../domain/status.ts';
import { createOidcProvider } from '../engines/sign-in/oidc.ts';
import { checkBackup } from '../features/operator/status/backup.ts';
import { checkLanguage } from '../features/operator/status/language.ts';
import { checkClock, checkDisk, checkMigrations } from '../features/operator/status/machine.ts';
import { checkProvider } from '../features/operator/status/provider.ts';
import type { Database, Db } from '../platform/database/database.ts';
import { openDatabase } from '../platform/database/open.ts';
import { databaseFile } from '../platform/database/sqlite.ts';
import { settings } from '../settings.ts';
import { addressOf } from './address.ts';
import type { CliContext } from './command.ts';
import { checkBox } from './doctor-box.ts';
import { checkPlans } from './doctor-plans.ts';
import { checkRecordings } from './doctor-recordings.ts';
import { checkFormats, checkOtherLanguages, checkSpeech } from './doctor-speech.ts';

const neededNodeMajor = 24;
const answerTimeoutMs = 3_000;

/** Runs every check, whatever the others find. Without valid settings there is nothing else to check. */
export async function runChecks(
  { env, config: read }: CliContext,
  options: { speech: boolean },
): Promise<Check[]> {
  const checks = [checkNode()];
  let config: Config;
  try {
    config = read();
  } catch (cause) {
    return [...checks, broken('settings', reasonOf(cause), 'correct these settings')];
  }
  checks.push(checkSettings(env), ...checkPlans(config.plans, env.STENO_PLANS_FILE), checkDisk(config));
  checks.push(
    ...(await checkDatabase(config)),
    await checkPort(config),
    await checkLanguage(config.language),
  );
  if (config.oidc) {
    const provider = createOidcProvider(config.oidc, { clock: Date.now });
    checks.push(await checkProvider(provider).finally(provider.close));
  }
  if (options.speech) {
    checks.push(checkBox(), await checkFormats(), await checkSpeech(config.engine));
    checks.push(...(await checkOtherLanguages(config.engine)));
  }
  return checks;
}

function checkNode(): Check {
  const major = Number(process.versions.node.split('.')[0]);
  return major >= neededNodeMajor
    ? ok('node', process.version)
    : broken('node', process.version, `start Steno with npm, which uses Node ${neededNodeMajor}`);
}

function checkSettings(env: CliContext['env']): Check {
  const unknown = Object.keys(env).filter((name) => name.startsWith('STENO_') && !(name in settings.shape));
  return unknown.length === 0
    ? ok('settings', 'all valid')
    : warning(
        'settings',
        `unknown: ${unknown.join(', ')}`,
        'check the spelling; unknown settings have no effect',
      );
}

async function checkDatabase(config: Config): Promise<Check[]> {
  if (config.databaseUrl === '' && !existsSync(databaseFile(config.dataDir)))
    return [
      ok('database', `none in ${config.dataDir} yet; the first start creates it`),
      checkClock(null, Date.now()),
    ];
  let database: Database;
  try {
    database = await openDatabase(config);
  } catch (cause) {
    return [broken('database', 'cannot be opened', reasonOf(cause)), checkClock(null, Date.now())];
  }
  try {
    const migrations = await checkMigrations(database);
    if (migrations.state !== 'ok') return [ok('database', 'answers'), migrations];
    return [
      await checkIntegrity(database),
      migrations,
      await checkSearchIndex(database),
      await checkRecordings(config, database),
      await checkBackup(database),
      checkClock(await newestTimestamp(database.db), await database.checkup.now()),
    ];
  } catch (cause) {
    return [broken('database', reasonOf(cause), 'restore a backup, or check the disk')];
  } finally {
    await database.close();
  }
}

async function checkIntegrity(database: Database): Promise<Check> {
  const damage = await database.checkup.findDamage();
  return damage.length === 0
    ? ok('database', `${database.name} answers, no damage found`)
    : broken('database', `damaged: ${damage.join('; ')}`, 'stop the server and restore a backup');
}

async function checkSearchIndex(database: Database): Promise<Check> {
  const gaps = await database.search.countGaps();
  return gaps === 0
    ? ok('search index', 'matches the notes')
    : broken('search index', `notes that differ: ${gaps}`, 'restore a backup, and report this bug');
}

async function checkPort(config: Config): Promise<Check> {
  const { host, port } = config;
  if (port === 0) return ok('port', 'any free port');
  const code = await tryToListen(host, port);
  if (code === undefined) return ok('port', `${host}:${port} is free`);
  if (code !== 'EADDRINUSE')
    return broken('port', `cannot listen on ${host}:${port} (${code})`, 'check STENO_HOST and STENO_PORT');
  return (await isSteno(config))
    ? ok('port', `a Steno server answers on ${host}:${port}`)
    : broken('port', `${port} is taken by another program`, 'stop it, or set STENO_PORT to another port');
}

function tryToListen(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', (cause: NodeJS.ErrnoException) => resolve(cause.code ?? cause.message));
    probe.listen({ host, port, exclusive: true }, () => probe.close(() => resolve(undefined)));
  });
}

async function isSteno(config: Config): Promise<boolean> {
  const address = addressOf(undefined, { ...config, publicUrl: '' });
  try {
    const signal = AbortSignal.timeout(answerTimeoutMs);
    const answer = await fetch(`${address}/api/v1/openapi.json`, { signal });
    const document = (await answer.json()) as { info?: { title?: unknown } };
    return document.info?.title === 'Steno';
  } catch {
    return false;
  }
}

/** The time of the newest note or, if there is none, of the newest account; null for an empty database. */
async function newestTimestamp(db: Db): Promise<string | null> {
  const note = await db
    .selectFrom('notes')
    .select('created_at')
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst();
  const user = await db
    .selectFrom('users')
    .select('created_at')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return note?.created_at ?? user?.created_at ?? null;
}
