import { setTimeout as sleep } from 'node:timers/promises';
import { broken, type Check, ok, reasonOf, warning } from '../../../domain/status.ts';
import type { TranscriberStatus } from '../../../engines/ports/transcriber.ts';
import type { LanguageWriter } from '../../../engines/ports/writer.ts';
import type { IdentityProvider } from '../../../engines/sign-in/oidc.ts';
import type { QueueAge } from '../../../kernel/job.ts';
import { remembered } from '../../../lib/remembered.ts';
import { version } from '../../../lib/version.ts';
import type { Database } from '../../../platform/database/database.ts';
import { createFigures } from '../../../platform/database/figures.ts';
import type { QueueState } from '../../recordings/worker.ts';
import { checkBackup } from './backup.ts';
import { checkClock, checkDisk, checkMigrations } from './machine.ts';
import { checkProvider } from './provider.ts';

interface StatusParts {
  database: Database & { state(): Promise<string> };
  dataDir: string;
  speech(): TranscriberStatus;
  /** Seconds of speech that were transcribed, and seconds of work that this took, since the start. */
  speechSeconds(): Promise<{ transcribed: number; busy: number }>;
  recordings(): Promise<QueueState>;
  languageJobs(): Promise<Record<'queued' | 'writing', QueueAge>>;
  audio(): Promise<'ok' | 'does not answer'>;
  writer: Pick<LanguageWriter, 'isOn' | 'status'>;
  /** Null if people sign in without one. */
  provider: Pick<IdentityProvider, 'issuer' | 'inspect'> | null;
  /** Null if mail goes to the log. */
  mail(): { host: string; sent: number; failed: number; lastFailed: boolean } | null;
}

/** Several operators look at once, and a page looks again and again. */
const rememberMs = 5_000;
/** Sums over whole tables. */
const rememberSumsMs = 60_000;
const patienceMs = 3_000;
const lateSeconds = 900;
const behindSeconds = 60;

/** What `steno doctor` knows, of a server that runs. Each check has three seconds, and an answer is used for five. */
export function createStatus(parts: StatusParts) {
  const figures = createFigures(parts.database);
  const databaseBytes = remembered(rememberSumsMs, figures.databaseBytes);
  const audioBytes = remembered(rememberSumsMs, figures.audioBytes);
  const failedRecordings = remembered(rememberSumsMs, () => figures.failedSince('recordings', yesterday()));
  const failedTexts = remembered(rememberSumsMs, () => figures.failedSince('language_jobs', yesterday()));
  const startedAt = new Date().toISOString();
  const { provider } = parts;

  const checks: Record<string, () => Check | Promise<Check>> = {
    version: () => ok('version', `${version}, on Node ${process.versions.node}, running since ${startedAt}`),
    database,
    migrations: () => checkMigrations(parts.database),
    'search index': searchIndex,
    speech,
    recordings,
    texts,
    'audio store': audioStore,
    disk: () => checkDisk(parts),
    mail,
    webhooks,
    'language model': languageModel,
    // Asked seldom, because it is the server of another company.
    ...(provider && { 'sign-in provider': remembered(rememberSumsMs, () => checkProvider(provider)) }),
    backup: () => checkBackup(parts.database),
    clock: async () => checkClock(null, await parts.database.checkup.now()),
  };

  async function database(): Promise<Check> {
    const state = await parts.database.state();
    const found = `${parts.database.name} answers; ${sizeOf(await databaseBytes())}`;
    return state === 'ok' ? ok('database', found) : broken('database', `${found}; ${state}`, fixOf(state));
  }

  async function searchIndex(): Promise<Check> {
    const [waiting, since] = [await figures.unindexedNotes(), await figures.unindexedSince()];
    if (waiting === 0 || since === null) return ok('search index', 'has every note');
    const seconds = Math.max(0, Math.round((Date.now() - Date.parse(since)) / 1_000));
    const found = `${waiting} notes are not in it yet; the first has waited for ${ageOf(seconds)}`;
    return seconds < behindSeconds
      ? ok('search index', found)
      : warning('search index', found, 'wait; if the number does not fall, look for "search" in the log');
  }

  async function speech(): Promise<Check> {
    const { state, problem, model, workers } = parts.speech();
    const { transcribed, busy } = await parts.speechSeconds();
    const speed = busy < 1 ? '' : `; ${(transcribed / busy).toFixed(1)} seconds of speech a second`;
    const found = `${model}, ${workers.ready} of ${workers.wanted} workers ready, ${workers.busy} busy${speed}`;
    if (state === 'ready') return ok('speech', found);
    if (state === 'failed')
      return broken('speech', problem ?? 'out of order', 'run "steno doctor", which says what to do');
    return warning('speech', `${found}; it is being loaded`, 'wait some seconds');
  }

  async function recordings(): Promise<Check> {
    const { queued, transcribing, problem } = await parts.recordings();
    const failed = await failedRecordings();
    const found = `${queued.count} wait${agedBy(queued)}, ${transcribing.count} are transcribed, ${failed} failed in the last 24 hours`;
    if (problem !== null)
      return broken(
        'recordings',
        `${problem} ${found}`,
        'see what the check of speech says, or end a pause: "steno pause off"',
      );
    if (queued.oldestSeconds > lateSeconds)
      return warning('recordings', found, 'give the server more workers (STENO_WORKERS), or add a server');
    return failed > 0
      ? warning('recordings', found, 'look for "recording" in the log')
      : ok('recordings', found);
  }

  async function texts(): Promise<Check> {
    const { queued, writing } = await parts.languageJobs();
    const failed = await failedTexts();
    const found = `${queued.count} wait${agedBy(queued)}, ${writing.count} are written, ${failed} failed in the last 24 hours`;
    if (queued.oldestSeconds > lateSeconds)
      return warning('texts', found, 'see whether the language model answers, and how fast it is');
    return failed > 0 ? warning('texts', found, 'look for "language" in the log') : ok('texts', found);
  }

  async function audioStore(): Promise<Check> {
    if ((await parts.audio()) === 'ok') return ok('audio store', `answers; ${sizeOf(await audioBytes())}`);
    return broken('audio store', 'does not answer', 'check STENO_RECORDINGS_URL and the data folder');
  }

  function mail(): Check {
    const state = parts.mail();
    if (!state)
      return warning('mail', 'none: codes to sign in are in the log', 'set STENO_SMTP_URL (docs/mail.md)');
    const found = `${state.host}: ${state.sent} sent, ${state.failed} failed since the start`;
    return state.lastFailed
      ? broken('mail', found, 'run "steno mail test ADDRESS", which says what is wrong')
      : ok('mail', found);
  }

  async function webhooks(): Promise<Check> {
    const { active, failing, paused } = await figures.webhooks();
    const found = `${active} active, ${failing} failing, ${paused} paused`;
    return failing + paused === 0
      ? ok('webhooks', found)
      : warning('webhooks', found, 'tell their owners; "steno webhooks list" names them');
  }

  async function languageModel(): Promise<Check> {
    if (!parts.writer.isOn) return ok('language model', 'none: no text leaves this server');
    const { address, model, window } = await parts.writer.status();
    return ok('language model', `${model} at ${address}, window ${window} tokens`);
  }

  /** A check that fails or hangs says so itself, and holds up no other. */
  async function run(name: string): Promise<Check> {
    try {
      const late = sleep(patienceMs, undefined, { ref: false }).then(() =>
        broken(name, `no answer within ${patienceMs / 1_000} seconds`, fixes[name] ?? 'see the log'),
      );
      return await Promise.race([checks[name]?.() ?? late, late]);
    } catch (cause) {
      return broken(name, reasonOf(cause), fixes[name] ?? 'see the log');
    }
  }

  return remembered(rememberMs, () => Promise.all(Object.keys(checks).map(run)));
}

const fixes: Record<string, string> = {
  database: 'see whether the database runs, and look at the log',
  'language model': 'check STENO_LLM_URL, STENO_LLM_KEY and STENO_LLM_MODEL, and whether that server runs',
};

const fixOf = (state: string) =>
  state.includes('disk')
    ? 'free some space on the disk'
    : 'run "steno doctor"; if it finds damage, restore a backup';

const yesterday = () => new Date(Date.now() - 86_400_000).toISOString();

const agedBy = ({ count, oldestSeconds }: QueueAge) =>
  count === 0 ? '' : ` for up to ${ageOf(oldestSeconds)}`;

function ageOf(seconds: number): string {
  if (seconds < 120) return `${Math.round(seconds)} s`;
  return seconds < 7_200 ? `${Math.round(seconds / 60)} minutes` : `${Math.round(seconds / 3_600)} hours`;
}

const sizeOf = (bytes: number) =>
  bytes < 1e9 ? `${(bytes / 1e6).toFixed(1)} MB` : `${(bytes / 1e9).toFixed(1)} GB`;
