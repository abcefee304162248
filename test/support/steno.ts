import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync, inflateSync, zstdDecompressSync } from 'node:zlib';
import type { InjectOptions, LightMyRequestResponse } from 'fastify';
import { inject } from 'vitest';
import { compose } from '../../src/compose.ts';
import { type Config, readConfig } from '../../src/config.ts';
import { personalKeysOf, workspaceKeysOf } from '../../src/domain/api-key.ts';
import type { ImportSource } from '../../src/domain/imported.ts';
import { defaultPlans, type PlanName, type Plans } from '../../src/domain/plans.ts';
import { operator, type Principal } from '../../src/domain/principal.ts';
import { personalScopes } from '../../src/domain/scopes.ts';
import type { AudioDecoder } from '../../src/engines/ports/audio.ts';
import type { Transcriber } from '../../src/engines/ports/transcriber.ts';
import { importAs } from '../../src/features/import/imports.ts';
import type { IncomingRecording } from '../../src/features/recordings/incoming.ts';
import { receive } from '../../src/features/recordings/receive.ts';
import type { SetupHost } from '../../src/kernel/parts.ts';
import type { Clock } from '../../src/lib/clock.ts';
import type { Log } from '../../src/lib/log.ts';
import { migrate } from '../../src/platform/database/migrate.ts';
import { openDatabase } from '../../src/platform/database/open.ts';
import { databaseFile } from '../../src/platform/database/sqlite.ts';
import { expectDescribed } from './described.ts';
import { encodeForm, type FormPart } from './form.ts';
import { asOperator, identityStore } from './identity.ts';
import { leaseRows, pauseOf } from './leases.ts';
import { createDatabase, withPostgres } from './postgres.ts';
import { createFakeSpeech, recording } from './speech.ts';
import { storedNotes } from './stored-notes.ts';
import { storedRecordings } from './stored-recordings.ts';
import { teamActs, teamRows } from './teams.ts';

export type DatabaseKind = 'sqlite' | 'postgres';
const usualDatabase: DatabaseKind = process.env.STENO_TEST_DATABASES === 'postgres' ? 'postgres' : 'sqlite';
/** Suites loop over this one where the store does not decide: SQLite, and PostgreSQL in the slow suite. */
export const anyDatabase: readonly DatabaseKind[] = [usualDatabase];
/** Suites loop over both where the store decides; STENO_TEST_DATABASES=sqlite leaves PostgreSQL out. */
export const databaseKinds: readonly DatabaseKind[] =
  withPostgres && usualDatabase === 'sqlite' ? ['sqlite', 'postgres'] : [usualDatabase];

export const silentLog: Log = { info() {}, warn() {}, error() {} };

/** As shipped, but a test may ask until something is so: 300 requests a minute would let a busy machine decide. */
export const testPlans: Plans = {
  ...defaultPlans,
  business: { ...defaultPlans.business, requestsPerMinute: 1_000_000, requestsPerDay: 10_000_000 },
};

interface TestDatabase {
  config: Config;
  dispose(): Promise<void>;
}

let sqliteTemplate: Promise<string> | undefined;

/** A file with all tables and no rows, made once in each process. */
async function makeSqliteTemplate(): Promise<string> {
  const { config, dispose } = await emptyDatabase('sqlite');
  const database = await openDatabase(config);
  await migrate(database, Date.now);
  await database.close();
  process.once('exit', () => void dispose());
  return databaseFile(config.dataDir);
}

/** Has all tables. Making them for each server anew took a third of the time of its start. */
export async function migratedDatabase(databaseKind: DatabaseKind): Promise<TestDatabase> {
  if (databaseKind === 'postgres') return emptyDatabase('postgres', inject('postgresTemplate'));
  sqliteTemplate ??= makeSqliteTemplate();
  const template = await sqliteTemplate;
  const made = await emptyDatabase('sqlite');
  copyFileSync(template, databaseFile(made.config.dataDir));
  return made;
}

/** A folder or a database of its own, empty; `dispose` removes it. */
export async function emptyDatabase(databaseKind: DatabaseKind, template?: string): Promise<TestDatabase> {
  const dataDir = mkdtempSync(join(tmpdir(), 'steno-test-'));
  const database =
    databaseKind === 'postgres' ? await createDatabase(inject('postgresUrl'), template) : undefined;
  const config = readConfig({
    STENO_DATA_DIR: dataDir,
    STENO_DATABASE_URL: database?.url ?? '',
    STENO_AUTH_FAILURES_PER_MINUTE: '100000',
    STENO_PORT: '0',
    // Tests begin with an empty list of notes.
    STENO_FIRST_STEPS: 'no',
  });
  return {
    config: { ...config, plans: testPlans },
    async dispose() {
      await database?.drop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

export interface Answer {
  status: number;
  // Tests look into bodies of every shape; a wrong guess fails the test.
  // biome-ignore lint/suspicious/noExplicitAny: see above
  body: any;
  text: string;
  headers: Record<string, string | string[] | number | undefined>;
}

interface CallOptions {
  key?: string;
  body?: unknown;
  /** `undefined` leaves out what a browser would send. */
  headers?: Record<string, string | undefined>;
}

export interface TestOptions {
  databaseKind?: DatabaseKind;
  config?: Partial<Config>;
  clock?: Clock;
  log?: Log;
  webhookPollMs?: number;
  /** Without a transcriber: the engine of the settings. */
  speech?: { decoder: AudioDecoder; transcriber?: Transcriber };
  /** As `steno serve` gives it; without it, nobody sets the server up. */
  setup?: SetupHost;
  /** Sends only what a test names, as a small program does; otherwise as a browser sends it. */
  bare?: boolean;
}

export type TestSteno = Awaited<ReturnType<typeof startSteno>>;

/** The whole program on an empty database, called through its door. Every answer is held against openapi.json. */
export async function startSteno(options: TestOptions = {}) {
  const {
    databaseKind = usualDatabase,
    config,
    clock,
    log = silentLog,
    speech = createFakeSpeech(),
  } = options;
  const { decoder, transcriber } = speech;
  const database = await migratedDatabase(databaseKind);
  const settings = { ...database.config, ...config };
  const composed = await compose(settings, {
    log,
    decoder,
    ...(transcriber ? { transcriber } : {}),
    ...(clock ? { clock } : {}),
    ...(options.webhookPollMs ? { webhookPollMs: options.webhookPollMs } : {}),
    ...(options.setup ? { setup: options.setup } : {}),
  });
  const store = teamRows(composed.database);
  const steno = { ...composed, ...teamActs(composed), store };
  await steno.app.ready();
  const { users, sessions, oauth } = asOperator(steno);
  const { recordings } = composed;

  async function call(
    method: string,
    path: string,
    { key, body, headers = {} }: CallOptions = {},
  ): Promise<Answer> {
    const given = Object.entries({ ...usual(method, headers), ...headers });
    const sent = Object.fromEntries(given.filter((header) => header[1] !== undefined));
    const options: InjectOptions = {
      // light-my-request types the method as a closed list; tests send odd ones on purpose.
      method: method as 'GET',
      url: /^\/(api|v1)\//.test(path) ? path : `/api/v1${path}`,
      headers: { ...(key ? { authorization: `Bearer ${key}` } : {}), ...sent },
      // A string is sent as it is, anything else as JSON.
      ...(body === undefined ? {} : { payload: body as object }),
    };
    return answered(method, String(options.url), await steno.app.inject(options));
  }

  /** What a browser adds by itself. A page of this server that writes with its cookie names its origin. */
  function usual(method: string, headers: CallOptions['headers'] = {}): Record<string, string> {
    if (options.bare) return {};
    const isSignedIn = headers.cookie !== undefined && !['GET', 'HEAD'].includes(method);
    return {
      'accept-encoding': 'gzip, deflate, br, zstd',
      ...(isSignedIn
        ? {
            origin: new URL(`${headers['x-forwarded-proto'] ?? 'http'}://${headers.host ?? 'localhost:80'}`)
              .origin,
          }
        : {}),
    };
  }

  function answered(method: string, url: string, response: LightMyRequestResponse): Answer {
    const isJson = String(response.headers['content-type']).startsWith('application/json');
    const decode = decoders[String(response.headers['content-encoding'])];
    const text = method === 'HEAD' || !decode ? response.body : decode(response.rawPayload).toString();
    const answer = {
      status: response.statusCode,
      body: isJson && method !== 'HEAD' ? JSON.parse(text) : undefined,
      text,
      headers: response.headers,
    };
    expectDescribed(method, url, answer);
    return answer;
  }

  /** As a person does in a browser: opens the link and presses the button, unless the link does not work. */
  async function followLink(path: string, headers: Record<string, string> = {}): Promise<Answer> {
    const page = await call('GET', path, { headers });
    return page.status === 200
      ? call('POST', path, { headers: { ...headers, cookie: cookieOf(page) } })
      : page;
  }

  return {
    ...steno,
    // In place, so that a spy on the store is one on the services too.
    store: Object.assign(
      steno.store,
      storedNotes(steno.database),
      { ...storedRecordings(steno.database), ...leaseRows(steno.database) },
      identityStore(steno),
    ),
    recordings: {
      ...recordings,
      tidy: recordings.everyMinute['delete uploads that broke off'],
      dropOld: recordings.everyHour['drop old audio'],
      /** POST /recordings, below HTTP. */
      upload: (who: Principal, incoming: IncomingRecording) =>
        receive(recordings.recorder, { db: steno.database.db, who }, incoming),
    },
    uploads: { tidy: recordings.everyMinute['finish uploads'] },
    pause: pauseOf(steno),
    users,
    sessions,
    oauth,
    followLink,
    /** Imports as the operator does. */
    imports: {
      run: (userId: string, source: ImportSource) => importAs(steno.look(), userId, source),
    },
    /** For a second process on the same database. */
    config: settings,
    call,

    /** POST /transcribe with a form; a string is a field, bytes are a file, an array several of either. */
    async upload(
      key: string,
      form: Record<string, FormPart | FormPart[]> = { file: recording() },
    ): Promise<Answer> {
      const { payload, headers } = encodeForm(form);
      const url = '/api/v1/transcribe';
      const options = { method: 'POST' as const, url, payload };
      const authorization = `Bearer ${key}`;
      return answered(
        'POST',
        url,
        await steno.app.inject({ ...options, headers: { ...usual('POST'), ...headers, authorization } }),
      );
    },

    /** A person with one key. */
    async person({ plan = 'business', scopes = personalScopes, name = 'Ada' }: PersonOptions = {}) {
      const user = await users.add({ name, email: null, plan });
      const { id, key } = await steno.keys.issue(operator, personalKeysOf(user.id), { name: 'test', scopes });
      return { user, key, keyId: id };
    },

    /** Signs a person in through the operator's link: the bearer token, and the cookie as a browser sends it. */
    async signIn(user: { id: string }) {
      const { path } = await sessions.createSignInLink(user.id);
      const answer = await followLink(path);
      if (answer.status !== 303) throw new Error(`the sign-in link answered ${answer.status}`);
      return { token: String(answer.headers['set-auth-token']), cookie: cookieOf(answer) };
    },

    /** A workspace with one space and one key. */
    async team({ plan = 'business', scopes = ['workspace:*'], name = 'Team' }: TeamOptions = {}) {
      const user = await users.add({ name: `${name} admin`, email: null, plan });
      const workspace = await steno.workspaces.create({ userId: user.id }, { name, plan });
      const space = await steno.spaces.create(operator, workspace.id, {
        name: 'General',
        description: null,
        emoji: null,
      });
      const { id, key } = await steno.keys.issue(operator, workspaceKeysOf(workspace.id), {
        name: 'test',
        scopes,
        user_id: user.id,
      });
      return { user, workspace, space, key, keyId: id };
    },

    async close() {
      await steno.close();
      await database.dispose();
    },
  };
}

const decoders: Record<string, (bytes: Buffer) => Buffer> = {
  gzip: gunzipSync,
  deflate: inflateSync,
  br: brotliDecompressSync,
  zstd: zstdDecompressSync,
};

/** The one cookie of an answer, as a browser sends it back. */
const cookieOf = ({ headers }: Pick<Answer, 'headers'>) => String(headers['set-cookie']).split(';')[0] ?? '';

interface PersonOptions {
  plan?: PlanName;
  scopes?: readonly string[];
  name?: string;
}

interface TeamOptions {
  plan?: PlanName;
  scopes?: readonly string[];
  name?: string;
}
