import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { fuzz } from './fuzz.ts';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    seed: { type: 'string', default: String(Date.now()) },
  },
});

const folder = mkdtempSync(join(tmpdir(), 'steno-fuzz-'));
const plans = join(folder, 'plans.json');
// So that requests reach the handlers and not the limit.
writeFileSync(
  plans,
  JSON.stringify({ business: { requestsPerMinute: 10_000_000, requestsPerDay: 100_000_000 } }),
);

const server = spawn(
  process.execPath,
  [fileURLToPath(new URL('../bin/steno.js', import.meta.url)), 'serve', '--sandbox'],
  {
    env: {
      ...process.env,
      STENO_PORT: '0',
      STENO_LOG_LEVEL: 'silent',
      STENO_PLANS_FILE: plans,
      STENO_AUTH_FAILURES_PER_MINUTE: '10000000',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  },
);
const ended = once(server, 'exit');

try {
  const printed = await welcome();
  const origin = /listens on (\S+)/.exec(printed)?.[1];
  const key = /owk_live_[\w-]+/.exec(printed)?.[0];
  if (!origin || !key) throw new Error(`The server did not start:\n${printed}`);
  const [seconds, seed] = [Number(values.seconds), Number(values.seed)];
  const report = await fuzz({ origin, credentials: [key, await signIn(printed)], seed, seconds });
  console.log(`Seed ${seed}: ${report.requests} requests in ${seconds} s, by status:`, report.byStatus);
  for (const fault of report.faults.slice(0, 50)) console.log(`FAULT ${fault}`);
  console.log(`${report.faults.length} faults`);
  process.exitCode = report.faults.length === 0 ? 0 : 1;
} finally {
  server.kill('SIGTERM');
  await ended;
  rmSync(folder, { recursive: true, force: true });
}

/** What the server prints once it listens, or until it ends. */
function welcome(): Promise<string> {
  let printed = '';
  return new Promise((resolve) => {
    server.stdout.setEncoding('utf8').on('data', (text) => {
      printed += text;
      if (printed.includes('docs/sandbox.md')) resolve(printed);
    });
    server.once('exit', () => resolve(printed));
  });
}

/** Opens the printed link and presses its button, as a browser does. */
async function signIn(printed: string): Promise<string> {
  const link = /http\S+\/sign-in\/link\S*/.exec(printed)?.[0] ?? '';
  const page = await fetch(link);
  const cookie = page.headers.get('set-cookie')?.split(';')[0] ?? '';
  const headers = { cookie, origin: new URL(link).origin };
  const answer = await fetch(link, { method: 'POST', headers, redirect: 'manual' });
  return answer.headers.get('set-auth-token') ?? '';
}
