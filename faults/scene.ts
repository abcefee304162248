import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ServerOptions, type ServerProcess, startServer } from '../test/support/process.ts';
import { type Client, createClient } from './client.ts';

/** A folder with a server that can be ended and started again. */
export interface Scene {
  readonly folder: string;
  readonly server: ServerProcess;
  readonly client: Client;
  /** After the server has ended. */
  restart(): Promise<void>;
}

/** Starts a server on an empty database, tries something with it, and cleans up. */
export async function withServer<Result>(
  { requestsPerMinute = 1_000_000, ...options }: Partial<ServerOptions> & { requestsPerMinute?: number },
  attempt: (scene: Scene) => Promise<Result>,
): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'steno-faults-'));
  const plans = join(folder, 'plans.json');
  // So that requests reach the database and not the limit.
  const many = { requestsPerMinute, requestsPerDay: 10_000_000 };
  writeFileSync(plans, JSON.stringify({ business: many }));
  const dataDir = join(folder, 'data');
  mkdirSync(dataDir);
  const start = () =>
    startServer({
      dataDir,
      ...options,
      settings: { STENO_PLANS_FILE: plans, STENO_LOG_LEVEL: 'silent', ...options.settings },
    });
  let server = await start();
  if (server.key === undefined) throw new Error('the first start printed no key');
  const client = createClient(server.key);
  try {
    return await attempt({
      folder,
      client,
      get server() {
        return server;
      },
      async restart() {
        server = await start();
      },
    });
  } finally {
    await server.kill();
    rmSync(folder, { recursive: true, force: true });
  }
}
