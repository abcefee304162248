import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureBuilt } from '../scripts/ensure-built.js';
import { readConfig } from '../src/config.ts';
import { personalKeysOf, workspaceKeysOf } from '../src/domain/api-key.ts';
import { operator } from '../src/domain/principal.ts';
import { personalScopes } from '../src/domain/scopes.ts';
import { composeServices } from '../src/services.ts';
import { asOperator } from '../test/support/identity.ts';
import { teamActs } from '../test/support/teams.ts';
import type { Watched } from './watch.ts';

/** In everything that belongs to the other account. It must never come out through the attacker's. */
const marker = 'zzforeignmarkerzz';

const things = (text: string): [string, object][] => [
  ['/notes/create', { title: text, content: `A secret of ${text}` }],
  ['/folders/create', { name: text }],
  ['/dictionary/create', { word: text }],
  ['/snippets/create', { trigger: text, replacement: text }],
  // Nobody listens there.
  ['/webhooks', { url: `https://127.0.0.1:9/${text}`, events: ['note.created'] }],
  ['/recordings/uploads', {}],
];
/** For an upload of which nothing has arrived. */
const deferred = { 'tus-resumable': '1.0.0', 'upload-defer-length': '1' };
const lists = [
  '/notes/list',
  '/notes/trash',
  '/folders/list',
  '/dictionary/list',
  '/snippets/list',
  '/recordings',
];

export interface FuzzedServer {
  origin: string;
  /** The attacker's: a personal key, a session and a workspace key. */
  credentials: [string, ...string[]];
  /** Ids of both accounts, for paths and bodies. */
  ids: string[];
  /** All that the attacker has, as a zip. */
  exported: Uint8Array<ArrayBuffer>;
  marker: string;
  /** What the other account holds, to see whether anybody changed it. */
  othersData(): Promise<string>;
  watch(): Promise<Watched>;
  stop(): Promise<void>;
}

/** A server of its own with two accounts: one that attacks, and one with something to lose. */
export async function startFuzzedServer(): Promise<FuzzedServer> {
  const folder = mkdtempSync(join(tmpdir(), 'steno-fuzz-'));
  const plans = join(folder, 'plans.json');
  // So that requests reach the handlers and not the limit.
  const many = { requestsPerMinute: 10_000_000, requestsPerDay: 100_000_000 };
  writeFileSync(plans, JSON.stringify({ business: many }));
  const settings = {
    STENO_DATA_DIR: join(folder, 'data'),
    STENO_PORT: '0',
    STENO_LOG_LEVEL: 'silent',
    STENO_ENGINE: 'fake',
    STENO_PLANS_FILE: plans,
    STENO_WEBHOOK_NETWORKS: '127.0.0.1',
    STENO_AUTH_FAILURES_PER_MINUTE: '10000000',
    STENO_METRICS_LISTEN: 'none',
    STENO_HEADERS_TIMEOUT: '5',
    STENO_REQUEST_TIMEOUT: '10',
  };
  const accounts = await makeAccounts(settings);
  ensureBuilt(['server']);
  // With the flag for watch.ts the server need not start again, which would close the channel.
  const server = spawn(
    process.execPath,
    ['--expose-gc', fileURLToPath(new URL('../bin/steno.js', import.meta.url)), 'serve'],
    {
      env: {
        ...process.env,
        ...settings,
        NODE_OPTIONS: `--import=${new URL('./watch.ts', import.meta.url).href}`,
      },
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    },
  );
  const ended = once(server, 'exit');
  const origin = await listening(server);
  const { otherKey, signInPath, ids } = accounts;
  const send = (key: string, path: string, body?: object, method = body ? 'POST' : 'GET') => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...deferred };
    return fetch(`${origin}/api/v1${path}`, { method, headers, body: JSON.stringify(body) });
  };
  const call = async (...request: Parameters<typeof send>) => (await send(...request)).text();
  for (const [key, text] of [
    [otherKey, marker],
    [accounts.keys[0], 'Own'],
  ] as const) {
    for (const [path, body] of things(text)) {
      const { data } = JSON.parse(await call(key, path, body));
      ids.push([data].flat()[0].id);
    }
    await fillTrash(key, text);
  }
  async function fillTrash(key: string, text: string): Promise<void> {
    const { data } = JSON.parse(await call(key, '/notes/create', { title: text, content: text }));
    await call(key, `/notes/${data.id}`, undefined, 'DELETE');
    ids.push(data.id);
  }
  return {
    origin,
    exported: new Uint8Array(await (await send(accounts.keys[0], '/export')).arrayBuffer()),
    credentials: [await signIn(origin + signInPath), ...accounts.keys],
    ids,
    marker,
    othersData: async () => (await Promise.all(lists.map((path) => call(otherKey, path)))).join('\n'),
    async watch() {
      server.send('watch');
      const [told] = await once(server, 'message');
      return told;
    },
    async stop() {
      server.kill('SIGTERM');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function makeAccounts(settings: Record<string, string>) {
  const services = await composeServices(readConfig(settings));
  const { users, sessions } = asOperator(services);
  const { keys, workspaces, spaces } = teamActs(services);
  try {
    const attacker = await users.add({ name: 'Mallory', email: 'mallory@example.org', plan: 'business' });
    const other = await users.add({ name: marker, email: `${marker}@example.org`, plan: 'business' });
    const draft = { name: 'fuzz', scopes: personalScopes };
    const { key } = await keys.issue(operator, personalKeysOf(attacker.id), draft);
    const { key: otherKey } = await keys.issue(operator, personalKeysOf(other.id), {
      ...draft,
      name: marker,
    });
    const own = await workspaces.create({ userId: attacker.id }, { name: 'Own' });
    const foreign = await workspaces.create({ userId: other.id }, { name: marker });
    const about = { description: null, emoji: null };
    const space = await spaces.create(operator, own.id, { name: 'Own', ...about });
    const foreignSpace = await spaces.create(operator, foreign.id, { name: marker, ...about });
    const team = { name: 'fuzz', scopes: ['workspace:*'], user_id: attacker.id };
    const { key: teamKey } = await keys.issue(operator, workspaceKeysOf(own.id), team);
    const { path: signInPath } = await sessions.createSignInLink(attacker.id);
    return {
      keys: [key, teamKey] as const,
      otherKey,
      signInPath,
      ids: [attacker, other, own, foreign, space, foreignSpace].map(({ id }) => id),
    };
  } finally {
    await services.close();
  }
}

function listening(server: ChildProcess): Promise<string> {
  let printed = '';
  return new Promise((resolve, reject) => {
    server.stdout?.setEncoding('utf8').on('data', (text) => {
      printed += text;
      const origin = /listens on ([^\s"]+)["\s]/.exec(printed)?.[1];
      if (origin) resolve(origin);
    });
    server.once('exit', () => reject(new Error(`The server did not start:\n${printed}`)));
  });
}

/** Opens a sign-in link and presses its button, as a browser does. */
async function signIn(link: string): Promise<string> {
  const page = await fetch(link);
  const cookie = page.headers.get('set-cookie')?.split(';')[0] ?? '';
  const headers = { cookie, origin: new URL(link).origin };
  const answer = await fetch(link, { method: 'POST', headers, redirect: 'manual' });
  return answer.headers.get('set-auth-token') ?? '';
}
