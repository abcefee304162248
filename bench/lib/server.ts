import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { composeServices } from '../../src/compose.ts';
import { readConfig } from '../../src/config.ts';
import { personalScopes } from '../../src/domain/scopes.ts';

const root = join(import.meta.dirname, '../..');

export interface BenchServer {
  url: string;
  pid: number;
  headers: Record<string, string>;
  stop(): Promise<void>;
}

/** A data folder with one user and their key, for as long as a measurement takes. */
export async function createDataDir(): Promise<{
  dataDir: string;
  userId: string;
  key: string;
  remove(): void;
}> {
  const dataDir = mkdtempSync(join(tmpdir(), 'steno-bench-'));
  const services = await composeServices(readConfig({ STENO_DATA_DIR: dataDir }));
  const user = await services.admin.addUser({ name: 'Bench', email: null, plan: 'business' });
  const { key } = await services.admin.createKey({
    kind: 'personal',
    userId: user.id,
    workspaceId: null,
    name: 'bench',
    scopes: personalScopes,
  });
  await services.close();
  // A measurement must not run into the limits it is not about.
  const plans = { business: { requestsPerMinute: 1_000_000_000, requestsPerDay: 1_000_000_000 } };
  writeFileSync(join(dataDir, 'plans.json'), JSON.stringify(plans));
  return { dataDir, userId: user.id, key, remove: () => rmSync(dataDir, { recursive: true, force: true }) };
}

/** The real server in a process of its own, logging as it does in production (to a file nobody reads). */
export async function startServer(
  data: { dataDir: string; key: string },
  { engine = 'fake' }: { engine?: 'fake' | 'embedded' } = {},
): Promise<BenchServer> {
  const server = spawn(process.execPath, [join(root, 'bin/steno.js'), 'serve'], {
    env: {
      ...process.env,
      STENO_DATA_DIR: data.dataDir,
      STENO_PORT: '0',
      STENO_PLANS_FILE: join(data.dataDir, 'plans.json'),
      STENO_ENGINE: engine,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const url = await addressFrom(server.stdout);
  return {
    url,
    pid: server.pid ?? 0,
    headers: { authorization: `Bearer ${data.key}`, 'content-type': 'application/json' },
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

/** Reads on afterwards: a server whose log nobody takes would stand still. */
function addressFrom(output: NodeJS.ReadableStream): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    output.on('data', (chunk) => {
      if (text.length > 10_000) return;
      text += chunk;
      const address = /http:\/\/[\d.]+:\d+/.exec(text);
      if (address) resolve(address[0]);
    });
    output.on('end', () => reject(new Error(`the server ended before it listened: ${text}`)));
  });
}
