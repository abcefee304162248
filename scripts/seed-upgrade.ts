// Makes a fixture for the tests of upgrades: fills an earlier Steno through its own API and commands, and keeps its database with
// what it answered. Run once per version; the files are never edited (docs/decisions/0217-releases.md).
//   node scripts/seed-upgrade.ts CHECKOUT NAME [--postgres postgres://…]
// CHECKOUT is a folder with that version, its packages installed. With --postgres, pg_dump must be there and not be older.
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { brotliCompressSync } from 'node:zlib';

/** One GET and what it answered, by the name of the credential that asked. */
export interface Told {
  as: string;
  path: string;
  body: unknown;
}

export interface UpgradeFixture {
  /** The commit's version of Steno and the last migration say which it is. */
  seeded_at: string;
  credentials: Record<string, string>;
  /** Must be refused after the upgrade too. */
  revoked: string;
  told: Told[];
  /** A word that only one note has, and that note. */
  words: { as: string; space_id: string | null; word: string; note_id: string }[];
}

const port = '18799';
const base = `http://127.0.0.1:${port}`;
const { values, positionals } = parseArgs({
  options: { postgres: { type: 'string' } },
  allowPositionals: true,
});
const [checkout = '', name = ''] = positionals;
const into = join(import.meta.dirname, '../test/fixtures/upgrades', name);
const clip = readFileSync(join(import.meta.dirname, '../assets/ask-not.ogg'));

const databaseUrl = values.postgres ?? '';
const dataDir = mkdtempSync(join(tmpdir(), 'steno-seed-'));
const env = {
  PATH: process.env.PATH,
  STENO_DATA_DIR: dataDir,
  STENO_DATABASE_URL: databaseUrl,
  STENO_PORT: port,
  STENO_ENGINE: 'fake',
  STENO_LOG_LEVEL: 'warn',
  STENO_FIRST_STEPS: 'no',
};
// Not bin/steno.js: the sources run without a build.
const bin = join(resolve(checkout), 'src/main.ts');
const steno = (...args: string[]) =>
  execFileSync(process.execPath, ['--', bin, ...args], { env, encoding: 'utf8' });

const server = spawn(process.execPath, ['--', bin, 'serve'], { env });
let printed = '';
for (const stream of [server.stdout, server.stderr])
  stream.setEncoding('utf8').on('data', (text: string) => {
    printed += text;
  });
const ended = new Promise((done) => server.once('exit', done));
try {
  while (!printed.includes('Steno listens on')) {
    if (server.exitCode !== null) throw new Error(printed);
    await sleep(100);
  }
  const fixture = await fill();
  server.kill('SIGTERM');
  await ended;
  mkdirSync(into, { recursive: true });
  const kind = databaseUrl === '' ? 'sqlite' : 'postgres';
  write(`${kind}.json.br`, Buffer.from(JSON.stringify(fixture)));
  if (kind === 'sqlite') write('steno.db.br', compact(join(dataDir, 'steno.db')));
  else write('postgres.sql.br', dump());
} finally {
  server.kill('SIGKILL');
  rmSync(dataDir, { recursive: true });
}

function write(file: string, content: Buffer): void {
  const packed = brotliCompressSync(content);
  writeFileSync(join(into, file), packed);
  console.log(`${join(into, file)}: ${packed.length} bytes`);
}

/** One file, without a log beside it and without free pages. */
function compact(path: string): Buffer {
  const database = new DatabaseSync(path);
  database.exec(
    'pragma wal_checkpoint(truncate); vacuum; pragma wal_checkpoint(truncate); pragma journal_mode = delete',
  );
  database.close();
  return readFileSync(path);
}

/** Plain statements, without those for psql. */
function dump(): Buffer {
  const args = ['--inserts', '--rows-per-insert=100', '--no-owner', '--no-privileges', databaseUrl];
  const text = execFileSync('pg_dump', args, { encoding: 'utf8', maxBuffer: 2 ** 28 });
  return Buffer.from(
    text
      .split('\n')
      .filter((line) => !line.startsWith('\\') && !line.startsWith('--'))
      .join('\n'),
  );
}

async function fill(): Promise<UpgradeFixture> {
  const key = /owk_live_[\w-]{43}/.exec(printed)?.[0] ?? '';
  const ada: { id: string } = JSON.parse(steno('users', 'list', '--json'))[0];
  const credentials: Record<string, string> = { ada: key };
  const words: UpgradeFixture['words'] = [];
  const post = <T>(as: string, path: string, body: object): Promise<T> =>
    call('POST', credentials[as], path, body);

  // Ada: folders, notes of every kind, words, snippets, transcriptions.
  const folders: { id: string }[] = [];
  for (const folder of ['Work', 'Trips', 'Älteres'])
    folders.push(await post('ada', '/api/v1/folders/create', { name: folder }));
  await post('ada', '/api/v1/dictionary/create', { words: ['Kysely', 'Zürich', 'ComfyUI'] });
  await post('ada', '/api/v1/snippets/create', { trigger: 'sig', replacement: 'Best wishes,\nAda' });
  async function note(as: string, index: number, more: object = {}): Promise<{ id: string }> {
    const word = `quux${as}${index}`;
    const content = `Note ${index} about ${word}.\n\nWe were running late for the train to Zürich, said “Ada” 🎙.`;
    const made: { id: string } = await post(as, '/api/v1/notes/create', {
      title: `Note ${index}`,
      content,
      ...more,
    });
    const { space_id: space = null } = more as { space_id?: string };
    words.push({ as, space_id: space, word, note_id: made.id });
    return made;
  }
  for (let index = 0; index < 12; index += 1)
    await note('ada', index, {
      ...(index % 3 === 0 ? { folder_id: folders[index % folders.length]?.id } : {}),
      ...(index === 5 ? { note_type: 'meeting', enhanced_content: 'Shorter.' } : {}),
    });
  const transcribed = await transcribe(key);
  await note('ada', 12, { note_type: 'upload', transcription_id: transcribed.id });
  const changed = await note('ada', 13);
  const patch = (body: object) => call('PATCH', key, `/api/v1/notes/${changed.id}`, body);
  await patch({
    content: 'Quite another text about quuxada13, so that the first one is kept where versions are.',
    pinned: true,
  });
  const deleted = await note('ada', 14);
  words.pop();
  await call('DELETE', key, `/api/v1/notes/${deleted.id}`);

  // A second person, a session, keys.
  const grace: { id: string } = JSON.parse(
    steno('users', 'add', '--name', 'Grace', '--email', 'grace@example.org', '--plan', 'pro', '--json'),
  );
  const keyOf = (...args: string[]): { id: string; key: string } =>
    JSON.parse(steno('keys', 'create', ...args, '--json'));
  credentials.grace = keyOf('--name', 'Laptop', '--user', grace.id, '--scopes', 'all').key;
  credentials.reader = keyOf('--name', 'Reader', '--user', grace.id, '--scopes', 'notes:read').key;
  const gone = keyOf('--name', 'Gone', '--user', grace.id);
  steno('keys', 'revoke', gone.id);
  await note('grace', 0);
  await post('grace', '/api/v1/dictionary/create', { words: ['Hopper'] });
  credentials.session = await signIn(ada.id);

  // A team.
  const workspace: { id: string } = JSON.parse(
    steno('workspaces', 'add', '--name', 'Team', '--admin', ada.id, '--json'),
  );
  const space: { id: string } = JSON.parse(
    steno('spaces', 'add', '--name', 'Interviews', '--workspace', workspace.id, '--json'),
  );
  steno('workspaces', 'members', 'add', workspace.id, grace.id, '--json');
  steno('workspaces', 'manage', workspace.id, grace.id, 'on');
  credentials.team = keyOf('--name', 'Bot', '--workspace', workspace.id, '--user', ada.id).key;
  await post('team', '/api/v1/folders/create', { name: 'Shared', space_id: space.id });
  await note('team', 0, { space_id: space.id });
  await note('team', 1, { space_id: space.id });

  // What only later versions have.
  const recorded = await attempt<{ id: string }>(
    'POST',
    key,
    '/api/v1/recordings?name=Monday&note=true&keep_audio=false',
    clip,
    'audio/ogg',
  );
  if (recorded)
    for (let state = ''; state !== 'done'; await sleep(200))
      ({ state } = await call<{ state: string }>('GET', key, `/api/v1/recordings/${recorded.id}`));
  await attempt('POST', key, '/api/v1/webhooks', {
    url: 'https://example.org/hook',
    events: ['note.created'],
  });
  await attempt('POST', credentials.session, `/api/workspaces/${workspace.id}/invitations`, {
    email: 'new@example.org',
    role: 'member',
    managed: false,
  });
  return {
    seeded_at: new Date().toISOString(),
    credentials,
    revoked: gone.key,
    told: await readAll(credentials, workspace.id, space.id),
    words,
  };
}

/** Everything that can be read, as each credential reads it. */
async function readAll(
  credentials: Record<string, string>,
  workspace: string,
  space: string,
): Promise<Told[]> {
  const told: Told[] = [];
  async function read(as: string, path: string): Promise<{ id: string }[]> {
    const response = await fetch(base + path, { headers: { authorization: `Bearer ${credentials[as]}` } });
    if (response.status !== 200) return [];
    const isJson = response.headers.get('content-type')?.startsWith('application/json');
    const body = isJson ? ((await response.json()) as { data?: unknown }) : await response.text();
    told.push({ as, path, body });
    return typeof body === 'object' && Array.isArray(body.data) ? body.data : [];
  }
  for (const as of ['ada', 'grace', 'reader', 'team']) {
    const query = as === 'team' ? `?space_id=${space}&limit=100` : '?limit=100';
    await read(as, '/api/v1/me');
    for (const { id } of await read(as, `/api/v1/notes/list${query}`)) {
      await read(as, `/api/v1/notes/${id}`);
      await read(as, `/api/v1/notes/${id}/transcript`);
      for (const { id: revision } of await read(as, `/api/v1/notes/${id}/revisions`))
        await read(as, `/api/v1/notes/${id}/revisions/${revision}`);
    }
    await read(as, `/api/v1/folders/list${query}`);
    await read(as, '/api/v1/spaces/list');
    await read(as, '/api/v1/notes/trash');
    for (const { id } of await read(as, '/api/v1/transcriptions/list?include=segments'))
      for (const format of ['json', 'text', 'srt', 'vtt'])
        await read(as, `/api/v1/transcriptions/${id}?format=${format}`);
    for (const list of ['dictionary/list', 'snippets/list', 'usage', 'webhooks', 'recordings/settings'])
      await read(as, `/api/v1/${list}`);
    for (const { id } of await read(as, '/api/v1/recordings')) await read(as, `/api/v1/recordings/${id}`);
  }
  await read('session', '/api/v1/notes/list?limit=100');
  await read('session', '/api/v1/keys/list');
  for (const path of ['workspaces', 'sessions', 'invitations']) await read('session', `/api/${path}`);
  for (const path of ['members', 'spaces', 'api-keys', 'policy', 'invitations'])
    await read('session', `/api/workspaces/${workspace}/${path}`);
  return told;
}

async function call<T = unknown>(
  method: string,
  key: string | undefined,
  path: string,
  body?: unknown,
  type = '',
): Promise<T> {
  const response = await send(method, key, path, body, type);
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return response.status === 204 ? (undefined as T) : ((await response.json()) as { data: T }).data;
}

/** Null where that version does not have it. */
async function attempt<T>(
  method: string,
  key: string | undefined,
  path: string,
  body: unknown,
  type = '',
): Promise<T | null> {
  const response = await send(method, key, path, body, type);
  return response.ok ? ((await response.json()) as { data: T }).data : null;
}

function send(
  method: string,
  key: string | undefined,
  path: string,
  body: unknown,
  type: string,
): Promise<Response> {
  const isBytes = body instanceof Uint8Array;
  return fetch(base + path, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      ...(body === undefined ? {} : { 'content-type': type || 'application/json' }),
    },
    ...(body === undefined ? {} : { body: isBytes ? new Uint8Array(body) : JSON.stringify(body) }),
  });
}

async function transcribe(key: string): Promise<{ id: string }> {
  const form = new FormData();
  form.set('file', new Blob([new Uint8Array(clip)]), 'ask-not.ogg');
  const response = await fetch(`${base}/api/v1/transcribe`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
    body: form,
  });
  if (!response.ok) throw new Error(`POST /transcribe: ${response.status} ${await response.text()}`);
  return ((await response.json()) as { data: { id: string } }).data;
}

/** As the button of a sign-in link does. */
async function signIn(userId: string): Promise<string> {
  const link = /http\S+/.exec(steno('users', 'sign-in-link', userId))?.[0] ?? '';
  const page = await fetch(link);
  const cookie = page.headers.get('set-cookie')?.split(';')[0] ?? '';
  const answer = await fetch(link, {
    method: 'POST',
    redirect: 'manual',
    headers: { cookie, origin: new URL(link).origin },
  });
  return answer.headers.get('set-auth-token') ?? page.headers.get('set-auth-token') ?? '';
}
