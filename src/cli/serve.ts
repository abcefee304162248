import { flushCompileCache } from 'node:module';
import type { AddressInfo } from 'node:net';
import { Command } from 'commander';
import { compose } from '../compose.ts';
import type { Config } from '../config.ts';
import { AppError } from '../domain/errors.ts';
import { personalScopes } from '../domain/scopes.ts';
import type { Admin } from '../services/admin.ts';
import { lockDataDir } from '../store/data-dir-lock.ts';
import type { CliContext } from './context.ts';

const stopDeadlineMs = 9_000;

export const serveCommand = (context: CliContext) =>
  new Command('serve').description('serve the API (what `npm start` runs)').action(() => serve(context));

async function serve({ config: readConfig, print }: CliContext): Promise<void> {
  const config = readConfig();
  const lock = config.databaseUrl === '' ? lockDataDir(config.dataDir) : undefined;
  const steno = await compose(config);
  const firstKey = await createOwner(steno.admin, config);
  try {
    await steno.app.listen({ host: config.host, port: config.port });
  } catch (cause) {
    await steno.close();
    throw explainListenFailure(cause, config);
  }
  const address =
    config.publicUrl === '' ? listeningAddress(steno.app.addresses()[0], config) : config.publicUrl;
  flushCompileCache();
  print(firstKey === undefined ? welcomeBack(address) : welcome(address, firstKey));
  await stopSignal();
  // A client that never finishes must not keep the process: after the deadline its connection is cut.
  const cut = setTimeout(() => steno.app.server.closeAllConnections(), stopDeadlineMs).unref();
  await steno.close();
  clearTimeout(cut);
  lock?.release();
}

/** The first start makes the owner and their key; undefined on every later one. */
async function createOwner(admin: Admin, config: Config): Promise<string | undefined> {
  if ((await admin.listUsers()).length > 0) return undefined;
  const owner = await admin.addUser({ name: 'Owner', email: null, plan: config.defaultPlan });
  const { key } = await admin.createKey({
    kind: 'personal',
    userId: owner.id,
    workspaceId: null,
    name: 'First key',
    scopes: personalScopes,
  });
  return key;
}

const welcome = (address: string, key: string) => `
Steno listens on ${address}

Your key, shown this once:

  ${key}

Your first note:

  curl ${address}/api/v1/notes/create \\
    -H "Authorization: Bearer ${key}" \\
    -H "Content-Type: application/json" \\
    -d '{"title": "Hello", "content": "My first note"}'

All calls are described at ${address}/docs
`;

const welcomeBack = (address: string) => `
Steno listens on ${address}
All calls are described at ${address}/docs
Another key: npm run steno -- keys create --name "My laptop"
`;

function listeningAddress(bound: AddressInfo | string | undefined, config: Config): string {
  if (typeof bound === 'string') return bound;
  const host = bound?.address ?? config.host;
  const shown = host === '0.0.0.0' || host === '::' ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  return `http://${shown}:${bound?.port ?? config.port}`;
}

function explainListenFailure(cause: unknown, { host, port }: Config): unknown {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  if (code === 'EADDRINUSE')
    return new AppError(
      'conflict',
      `Port ${port} is taken: stop what uses it, or set STENO_PORT to another.`,
    );
  if (code === 'EACCES' || code === 'EADDRNOTAVAIL')
    return new AppError('forbidden', `Cannot listen on ${host}:${port}: check STENO_HOST and STENO_PORT.`);
  return cause;
}

function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve());
  });
}
