import { createDatabase, startPostgres } from '../test/support/postgres.ts';
import { seededRandom } from '../test/support/random.ts';
import { clockJumps, limitAfterJump } from './clock.ts';
import { diskFull } from './disk.ts';
import type { Fault, Outcome } from './fault.ts';
import { postgresEnds } from './postgres.ts';
import { decoderKilled, killedWhileTranscribing, recogniserKilled, serverKilled } from './processes.ts';
import { killedWhileDelivering } from './webhooks.ts';

export type FaultReport = Outcome & Pick<Fault, 'fault' | 'promise'>;

export interface FaultOptions {
  seed: number;
  /** How often each fault happens. */
  rounds: number;
  withPostgres: boolean;
  /** Only those with this in their name. */
  only?: string;
  onReport?(report: FaultReport): void;
}

/** Makes each fault happen to a real server, one after the other. */
export async function runFaults(options: FaultOptions): Promise<FaultReport[]> {
  const { seed, rounds, withPostgres, only = '', onReport = () => {} } = options;
  const postgres = withPostgres ? await startPostgres() : undefined;
  try {
    const faults = [
      serverKilled('SQLite', () => ''),
      killedWhileDelivering('SQLite', () => ''),
      killedWhileTranscribing,
      decoderKilled,
      recogniserKilled,
      diskFull,
      clockJumps,
      limitAfterJump,
      ...(postgres ? await onPostgres(postgres) : []),
    ];
    const reports: FaultReport[] = [];
    for (const { fault, promise, needs, run } of faults) {
      if (!fault.includes(only) || (needs && needs !== process.platform)) continue;
      const outcome = await run({ random: seededRandom(seed), rounds }).catch(
        (cause: unknown): Outcome => ({ held: false, figure: String(cause) }),
      );
      reports.push({ fault, promise, ...outcome });
      onReport({ fault, promise, ...outcome });
    }
    return reports;
  } finally {
    await postgres?.stop();
  }
}

async function onPostgres(postgres: Awaited<ReturnType<typeof startPostgres>>): Promise<Fault[]> {
  const [first, second, third, fourth] = [
    await createDatabase(postgres.url),
    await createDatabase(postgres.url),
    await createDatabase(postgres.url),
    await createDatabase(postgres.url),
  ];
  return [
    serverKilled('PostgreSQL', () => first.url),
    killedWhileDelivering('PostgreSQL', () => fourth.url),
    postgresEnds(
      'PostgreSQL is stopped',
      'SIGINT',
      () => postgres,
      () => second.url,
    ),
    postgresEnds(
      'kill -9 of PostgreSQL',
      'SIGKILL',
      () => postgres,
      () => third.url,
    ),
  ];
}
