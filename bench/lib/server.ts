import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ensureBuilt } from '../../scripts/ensure-built.js';
import { readConfig } from '../../src/config.ts';
import { personalKeysOf } from '../../src/domain/api-key.ts';
import { operator } from '../../src/domain/principal.ts';
import { personalScopes } from '../../src/domain/scopes.ts';
import { composeServices } from '../../src/services.ts';
import { asOperator } from '../../test/support/identity.ts';
import { teamActs } from '../../test/support/teams.ts';

const root = join(import.meta.dirname, '../..');

export interface BenchServer {
  url: string;
  pid: number;
  headers: Record<string, string>;
  /** Of the server's event loop since the last call. Only with `watchTurns`. */
  longestTurns(): Promise<LongestTurns>;
  readMetrics(): Promise<string>;
  stop(): Promise<void>;
}

/** The longest turn by the clock, without the time in which other programs had the cores, and by what it computed. */
export interface LongestTurns {
  turnMs: number;
  ownTurnMs: number;
  computedMs: number;
}

export interface BenchData {
  dataDir: string;
  /** Empty for SQLite. */
  databaseUrl: string;
  userId: string;
  key: string;
  remove(): void;
}

/** A data folder with one user and their key, for as long as a measurement takes. */
export async function createDataDir(databaseUrl = ''): Promise<BenchData> {
  const dataDir = mkdtempSync(join(tmpdir(), 'steno-bench-'));
  const { userId, key } = await addPerson({ dataDir, databaseUrl });
  // A measurement must not run into the limits it is not about.
  const plans = { business: { requestsPerMinute: 1_000_000_000, requestsPerDay: 1_000_000_000 } };
  writeFileSync(join(dataDir, 'plans.json'), JSON.stringify(plans));
  const remove = () => rmSync(dataDir, { recursive: true, force: true });
  return { dataDir, databaseUrl, userId, key, remove };
}

/** A person with a key. No server may run on the data folder. */
export async function addPerson({ dataDir, databaseUrl }: Pick<BenchData, 'dataDir' | 'databaseUrl'>) {
  const settings = { STENO_DATA_DIR: dataDir, STENO_DATABASE_URL: databaseUrl };
  const services = await composeServices(readConfig(settings));
  const user = await asOperator(services).users.add({ name: 'Bench', email: null, plan: 'business' });
  const { key } = await teamActs(services).keys.issue(operator, personalKeysOf(user.id), {
    name: 'bench',
    scopes: personalScopes,
  });
  await services.close();
  return { userId: user.id, key };
}

/** The real server in a process of its own, logging as it does in production (to a file nobody reads). */
export async function startServer(
  data: Pick<BenchData, 'dataDir' | 'databaseUrl' | 'key'>,
  {
    engine = 'fake',
    settings = {},
    watchTurns = false,
  }: { engine?: 'fake' | 'embedded'; settings?: Record<string, string>; watchTurns?: boolean } = {},
): Promise<BenchServer> {
  ensureBuilt(['server']);
  const logFile = join(data.dataDir, 'server.log');
  const turnsFile = join(data.dataDir, 'turns.json');
  const probe = watchTurns ? ['--import', join(import.meta.dirname, 'turns-probe.js')] : [];
  const server = spawn(process.execPath, [...probe, join(root, 'bin/steno.js'), 'serve'], {
    env: {
      ...process.env,
      BENCH_TURNS_FILE: turnsFile,
      STENO_DATA_DIR: data.dataDir,
      STENO_DATABASE_URL: data.databaseUrl,
      STENO_PORT: '0',
      STENO_METRICS_LISTEN: '127.0.0.1:0',
      STENO_PLANS_FILE: join(data.dataDir, 'plans.json'),
      STENO_ENGINE: engine,
      ...settings,
    },
    stdio: ['ignore', openSync(logFile, 'w'), 'inherit'],
  });
  const url = await addressIn(logFile);
  return {
    url,
    pid: server.pid ?? 0,
    headers: { authorization: `Bearer ${data.key}`, 'content-type': 'application/json' },
    async longestTurns() {
      rmSync(turnsFile, { force: true });
      server.kill('SIGUSR2');
      while (!existsSync(turnsFile)) await sleep(5);
      return JSON.parse(readFileSync(turnsFile, 'utf8'));
    },
    async readMetrics() {
      const { host, port } = JSON.parse(await found(logFile, /^.*Metrics can be read here.*$/m));
      const answer = await fetch(`http://${host}:${port}/metrics`);
      if (!answer.ok) throw new Error(`the metrics answered ${answer.status}`);
      return answer.text();
    },
    async stop() {
      server.kill('SIGTERM');
      await once(server, 'exit');
    },
  };
}

/** A script of bench/ in a process of its own; it prints its address as a line. */
export async function startScript(
  file: string,
  args: string[],
): Promise<{ url: string; stop(): Promise<void> }> {
  const script = spawn(process.execPath, [join(import.meta.dirname, '..', file), ...args], {
    // What a script writes beside it is gone with the temporary files.
    cwd: tmpdir(),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const url = await addressFrom(script.stdout);
  return {
    url,
    async stop() {
      script.kill('SIGTERM');
      await once(script, 'exit');
    },
  };
}

/** Not through a pipe: reading the log would take time from the load that this process makes. */
const addressIn = (logFile: string) => found(logFile, /http:\/\/[\d.]+:\d+/);

async function found(logFile: string, pattern: RegExp): Promise<string> {
  for (let attempt = 0; attempt < 600; attempt += 1) {
    const [text] = pattern.exec(readFileSync(logFile, 'utf8')) ?? [];
    if (text !== undefined) return text;
    await sleep(50);
  }
  throw new Error('the server did not say where it listens');
}

function addressFrom(output: NodeJS.ReadableStream): Promise<string> {
  return new Promise((resolve, reject) => {
    let printed = '';
    output.on('data', (text) => {
      printed += text;
      const address = /http:\/\/[\d.]+:\d+\S*(?=\n)/.exec(printed);
      if (address) resolve(address[0]);
    });
    output.once('end', () => reject(new Error('the script ended before it listened')));
  });
}

/** For a bare server that sends the same answer. What Node sends by itself is left out. */
export const ownHeaders = (answer: Response) =>
  [...answer.headers].filter(([name]) => !['date', 'connection', 'keep-alive'].includes(name));
