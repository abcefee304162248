import { spawn } from 'node:child_process';
import { AppError } from '../domain/errors.ts';
import { DatabaseUnusable } from './unusable.ts';

export type Tool = 'pg_dump' | 'pg_restore';

const byHand: Record<Tool, string> = {
  pg_dump: 'pg_dump --format=custom --file=FILE "$STENO_DATABASE_URL"',
  pg_restore: 'pg_restore --no-owner --dbname="$STENO_DATABASE_URL" FILE',
};

/** PostgreSQL's own programs from the PATH. */
export function postgresTools(databaseUrl: string) {
  const url = new URL(databaseUrl);
  // In the environment, because every user of the machine can see the arguments.
  const password = decodeURIComponent(url.password);
  url.password = '';
  const env = { ...process.env, ...(password === '' ? {} : { PGPASSWORD: password }) };

  /** Returns what the tool printed. Raises `service_unavailable` if it is missing, and DatabaseUnusable if it fails. */
  async function run(tool: Tool, args: readonly string[]): Promise<string> {
    const child = spawn(tool, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
    const printed = { stdout: '', stderr: '' };
    for (const stream of ['stdout', 'stderr'] as const)
      child[stream].setEncoding('utf8').on('data', (text) => {
        printed[stream] += text;
      });
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once('close', resolve);
      child.once('error', (cause) => reject(explainMissing(tool, cause)));
    });
    if (code === 0) return printed.stdout;
    const [reason = ''] = printed.stderr.trim().split('\n');
    throw new DatabaseUnusable(`${tool} failed: ${reason.replace(/^\w+: (error: )?/, '')}.`);
  }

  return {
    run,
    connection: `--dbname=${url.href}`,

    /** Raises `service_unavailable` if the tool is missing or older than the database server. */
    async requireFor(tool: Tool, serverMajor: number): Promise<void> {
      // pg_dump (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)
      const major = Number(/\(PostgreSQL\) (\d+)/.exec(await run(tool, ['--version']))?.[1]);
      if (major < serverMajor)
        throw new AppError(
          'service_unavailable',
          `${tool} ${major} cannot work with PostgreSQL ${serverMajor}: install the client programs of version ${serverMajor} (postgresql-client-${serverMajor}) and put them on the PATH.`,
        );
    },
  };
}

function explainMissing(tool: Tool, cause: Error): Error {
  if (!('code' in cause) || cause.code !== 'ENOENT') return cause;
  return new AppError(
    'service_unavailable',
    `${tool} is not on the PATH: install PostgreSQL's client programs (postgresql-client) here, or run '${byHand[tool]}' where they are.`,
    { cause },
  );
}
