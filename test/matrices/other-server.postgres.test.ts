import { createHash, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { compose } from '../../src/compose.ts';
import { personalScopes } from '../../src/domain/scopes.ts';
import { startFakeModel } from '../support/fake-model.ts';
import { encodeForm } from '../support/form.ts';
import { operations } from '../support/operations.ts';
import { createFakeSpeech, recording } from '../support/speech.ts';
import { silentLog, startSteno, type TestSteno } from '../support/steno.ts';

/**
 * Every operation that takes an Idempotency-Key × {made, known, refused, crashed} × {the same server, another}. The operations
 * come from openapi.json: a new one without an entry below fails here.
 */
interface Call {
  url: string;
  body: Buffer | object;
  /** Of a form or a zip; otherwise JSON. */
  headers?: Record<string, string>;
}
interface Given {
  /** A personal key, a session of the same person, and a workspace where they are the admin. */
  key: string;
  session: string;
  workspaceId: string;
  create(path: string, body: object): Promise<string>;
}
interface Row {
  as?: 'session';
  call(given: Given): Promise<Call> | Call;
  /** What the operation refuses with 400; by default a body without any field. */
  wrong?: Partial<Call>;
}

const form = (url: string, fields: Record<string, string>): Call => {
  const { payload, headers } = encodeForm({ ...fields, file: recording() });
  return { url, body: payload, headers };
};
const withoutFile = (fields: Record<string, string>) => {
  const { payload, headers } = encodeForm(fields);
  return { body: payload, headers };
};
const name = () => `n ${randomUUID()}`;
const graceHours = { grace_hours: 1 };
const wrongHours = { body: { grace_hours: 'many' } };
const workspace = (path: string, body: object) => ({
  as: 'session' as const,
  call: ({ workspaceId }: Given) => ({ url: `/api/workspaces/${workspaceId}${path}`, body }),
});
let exported: Buffer;

const table: Record<string, Row> = {
  'POST /api/app-passwords': {
    as: 'session',
    call: () => ({ url: '/api/app-passwords', body: { name: 'Phone' } }),
  },
  'POST /api/v1/actions': {
    call: () => ({ url: '/api/v1/actions', body: { name: name(), prompt: 'Write a letter.' } }),
  },
  'POST /api/v1/dictionary/create': {
    call: () => ({ url: '/api/v1/dictionary/create', body: { words: [name()] } }),
  },
  'POST /api/v1/dictionary/delete-many': {
    async call({ create }) {
      const id = await create('/dictionary/create', { words: [name()] });
      return { url: '/api/v1/dictionary/delete-many', body: { ids: [id] } };
    },
  },
  'POST /api/v1/folders/create': { call: () => ({ url: '/api/v1/folders/create', body: { name: name() } }) },
  'POST /api/v1/import': {
    call: () => ({ url: '/api/v1/import', body: exported, headers: { 'content-type': 'application/zip' } }),
    wrong: { body: Buffer.from('no zip') },
  },
  'POST /api/v1/keys/create': {
    as: 'session',
    call: () => ({ url: '/api/v1/keys/create', body: { name: name() } }),
  },
  'POST /api/v1/keys/{id}/rotate': {
    as: 'session',
    async call({ create }) {
      return {
        url: `/api/v1/keys/${await create('/keys/create', { name: name() })}/rotate`,
        body: graceHours,
      };
    },
    wrong: wrongHours,
  },
  'POST /api/v1/notes/create': { call: () => ({ url: '/api/v1/notes/create', body: { content: name() } }) },
  'POST /api/v1/notes/create-many': {
    call: () => ({ url: '/api/v1/notes/create-many', body: { notes: [{ content: name() }, {}] } }),
  },
  'POST /api/v1/notes/{id}/enhance': {
    async call({ create }) {
      const id = await create('/notes/create', { content: 'The roof leaks.' });
      return { url: `/api/v1/notes/${id}/enhance`, body: { action: 'summary' } };
    },
  },
  'POST /api/v1/recordings': {
    call: () => ({
      url: '/api/v1/recordings?name=Mill',
      body: recording(),
      headers: { 'content-type': 'audio/wav' },
    }),
    wrong: { url: '/api/v1/recordings?speakers=many' },
  },
  'POST /api/v1/snippets/create': {
    call: () => ({ url: '/api/v1/snippets/create', body: { trigger: name(), replacement: 'x' } }),
  },
  'POST /api/v1/snippets/create-many': {
    call: () => ({
      url: '/api/v1/snippets/create-many',
      body: { snippets: [{ trigger: name(), replacement: 'x' }, {}] },
    }),
  },
  'POST /api/v1/tags/create': { call: () => ({ url: '/api/v1/tags/create', body: { name: name() } }) },
  'POST /api/v1/tags/{id}/merge': {
    async call({ create }) {
      const id = await create('/tags/create', { name: name() });
      const into = await create('/tags/create', { name: name() });
      return { url: `/api/v1/tags/${id}/merge`, body: { into } };
    },
  },
  'POST /api/v1/transcribe': {
    call: () => form('/api/v1/transcribe', {}),
    wrong: withoutFile({ language: 'en' }),
  },
  'POST /v1/audio/transcriptions': {
    call: () => form('/v1/audio/transcriptions', { model: 'whisper-1' }),
    wrong: withoutFile({ model: 'whisper-1' }),
  },
  'POST /api/v1/webhooks': {
    call: () => ({
      url: '/api/v1/webhooks',
      body: { url: 'http://127.0.0.1:9/x', events: ['note.created'] },
    }),
  },
  'POST /api/v1/webhooks/{id}/rotate': {
    async call({ create }) {
      const id = await create('/webhooks', { url: 'http://127.0.0.1:9/x', events: ['note.created'] });
      return { url: `/api/v1/webhooks/${id}/rotate`, body: graceHours };
    },
    wrong: wrongHours,
  },
  'POST /api/workspaces': { as: 'session', call: () => ({ url: '/api/workspaces', body: { name: 'Team' } }) },
  'POST /api/workspaces/{id}/api-keys': workspace('/api-keys', { name: 'Bot', scopes: ['workspace:*'] }),
  'POST /api/workspaces/{id}/api-keys/{key_id}/rotate': {
    as: 'session',
    async call({ workspaceId, create }) {
      const path = `/api/workspaces/${workspaceId}/api-keys`;
      const id = await create(path, { name: 'Bot', scopes: ['workspace:*'] });
      return { url: `${path}/${id}/rotate`, body: graceHours };
    },
    wrong: wrongHours,
  },
  'POST /api/workspaces/{id}/invitations': {
    as: 'session',
    call: ({ workspaceId }) => ({
      url: `/api/workspaces/${workspaceId}/invitations`,
      body: { email: `${randomUUID()}@example.org`, role: 'member' },
    }),
  },
  'POST /api/workspaces/{id}/spaces': workspace('/spaces', { name: 'Lab' }),
};

const idempotent = operations.filter(({ takesKey }) => takesKey).map((operation) => operation.name);

let steno: TestSteno;
let other: Awaited<ReturnType<typeof compose>>;
let model: Awaited<ReturnType<typeof startFakeModel>>;
beforeAll(async () => {
  model = await startFakeModel();
  const { transcriber, decoder } = createFakeSpeech();
  const config = {
    language: { url: model.url, key: '', model: '', window: 0 },
    webhookNetworks: ['127.0.0.1'],
  };
  steno = await startSteno({ databaseKind: 'postgres', config, speech: { decoder, transcriber } });
  other = await compose(steno.config, { log: silentLog, decoder, transcriber });
  const { key } = await steno.person();
  await steno.call('POST', '/notes/create', { key, body: { content: 'Moved.' } });
  const headers = { authorization: `Bearer ${key}` };
  exported = (await steno.app.inject({ url: '/api/v1/export', headers })).rawPayload;
});
afterAll(async () => {
  await other.close();
  await steno.close();
  await model.close();
});

/** A new person for each cell, so that no cell meets the limits of another. */
async function given(): Promise<Given> {
  const email = `${randomUUID()}@example.org`;
  const { token: session } = await steno.signIn(
    await steno.users.add({ name: 'Ada', email, plan: 'business' }),
  );
  const draft = { name: 'test', scopes: personalScopes };
  const { key } = (await steno.call('POST', '/keys/create', { key: session, body: draft })).body.data;
  const made = await steno.call('POST', '/api/workspaces', { key: session, body: { name: 'Team' } });
  return {
    key,
    session,
    workspaceId: made.body.data.id,
    async create(path, body) {
      const { data } = (await steno.call('POST', path, { key: session, body })).body;
      return (Array.isArray(data) ? data[0] : data).id;
    },
  };
}

const servers = ['the same server', 'another'] as const;
const sender = (key: string, idempotencyKey: string) => async (app: 'same' | 'other', call: Call) => {
  const { app: server } = app === 'same' ? steno : other;
  const answer = await server.inject({
    method: 'POST',
    url: call.url,
    payload: call.body,
    headers: { ...call.headers, authorization: `Bearer ${key}`, 'idempotency-key': idempotencyKey },
  });
  return {
    status: answer.statusCode,
    isAgain: answer.headers['idempotency-replayed'] === 'true',
    body: answer.json(),
  };
};
/** What was made: a record whose state may go on meanwhile is known by its id. */
const made = ({ data, text }: { data?: unknown; text?: string }) =>
  Array.isArray(data)
    ? data.map((one) => [one.status, one.data?.id ?? one.id])
    : (Object(data).id ?? data ?? text);

async function begin(operation: string) {
  const row = table[operation];
  if (!row) throw new Error(`Say how ${operation} is called.`);
  const person = await given();
  const call = await row.call(person);
  const key = randomUUID();
  const credential = row.as === 'session' ? person.session : person.key;
  return { row, call, key, credential, send: sender(credential, key) };
}

describe.each(idempotent)('%s with an Idempotency-Key', (operation) => {
  describe.each(servers)('that comes again to %s', (server) => {
    const next = server === 'another' ? 'other' : 'same';

    test('after it was carried out gets the same answer', async () => {
      const { call, send } = await begin(operation);
      const first = await send('same', call);
      expect([first.status < 300, first.isAgain]).toEqual([true, false]);
      const again = await send(next, call);
      expect([again.status, again.isAgain]).toEqual([first.status, true]);
      expect(made(again.body)).toEqual(made(first.body));
    });

    test('after it was refused is carried out', async () => {
      const { row, call, send } = await begin(operation);
      const refused = await send('same', { ...call, body: {}, ...row.wrong });
      expect(refused.status).toBe(400);
      const again = await send(next, call);
      expect([again.status < 300, again.isAgain]).toEqual([true, false]);
    });

    test('after its server crashed is carried out', async () => {
      const { call, key, credential, send } = await begin(operation);
      await crash(operation, credential, key);
      const again = await send(next, call);
      expect([again.status < 300, again.isAgain]).toEqual([true, false]);
    });
  });
});

/** Leaves behind what a server that was killed in the middle of the request leaves. */
async function crash(operation: string, credential: string, key: string): Promise<void> {
  const principal = await steno.authentication.authenticate(credential, 'test', { byAssistant: false });
  const digest = createHash('sha256').update(key).digest('base64url');
  await steno.database.db
    .insertInto('idempotency_keys')
    .values({
      id: randomUUID(),
      caller: String(principal?.limitKey),
      route: operation.replaceAll(/\{(\w+)\}/g, ':$1'),
      key_hash: digest,
      holder: 'a server that is gone',
      expires_at: new Date(Date.now() + 3_600_000).toISOString(),
    })
    .execute();
}

describe.each(servers)('a note that is known by its client_note_id, on %s', (server) => {
  const next = server === 'another' ? 'other' : 'same';

  test.each([
    ['/api/v1/notes/create', (note: object) => note],
    ['/api/v1/notes/create-many', (note: object) => ({ notes: [note] })],
  ])('is the answer of %s, and another body with the key is 400', async (url, bodyOf) => {
    const { key } = await given();
    const note = { content: 'Once.', client_note_id: randomUUID() };
    const { id } = (await steno.call('POST', '/notes/create', { key, body: note })).body.data;
    const send = sender(key, randomUUID());
    const first = await send('same', { url, body: bodyOf(note) });
    expect(JSON.stringify(first.body)).toContain(id);
    const again = await send(next, { url, body: bodyOf(note) });
    expect([again.status, again.isAgain, made(again.body)]).toEqual([first.status, true, made(first.body)]);
    const changed = await send(next, { url, body: bodyOf({ ...note, content: 'Twice.' }) });
    expect(changed.status).toBe(400);
  });
});
