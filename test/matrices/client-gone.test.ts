import { readdirSync, readlinkSync } from 'node:fs';
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import type { RouteOptions } from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { personalScopes } from '../../src/domain/scopes.ts';
import { type StenoWithAssistants, startWithAssistants } from '../support/assistant.ts';
import { startFakeModel } from '../support/fake-model.ts';
import { encodeForm } from '../support/form.ts';
import { createFakeSpeech, recording } from '../support/speech.ts';

/**
 * Every operation that streams or holds a place × how its client leaves × when. Afterwards places, requests to the language model,
 * connections and files without a name are as before. The operations come from the routes of the server: a new one without an
 * entry below fails here.
 */
const ways = ['FIN', 'RST', 'abort'] as const;
const moments = ['before the first byte', 'between', 'at the end'] as const;
type Way = (typeof ways)[number];
type Moment = (typeof moments)[number];

interface Call {
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: Buffer;
}
interface Row {
  /** Makes what the call needs, for a new person. */
  prepare(key: string): Promise<Call> | Call;
  /** What keeps the answer from ending; `nothing`: it streams until its client leaves, or as fast as the client reads. */
  waitsFor: 'model' | 'speech' | 'nothing';
  /** When a client can leave: an answer in one piece has no "between". */
  moments?: readonly Moment[];
  /** How many a person may have at once; as many clients leave. */
  places?: number;
  /** It never ends by itself. */
  isEndless?: boolean;
  /** Words that were sent count, so the rest is transcribed whoever listens. */
  goesOn?: boolean;
}

let steno: StenoWithAssistants;
let model: Awaited<ReturnType<typeof startFakeModel>>;
const speech = createFakeSpeech();

const json = (path: string, body: object, headers: Record<string, string> = {}): Call => ({
  method: 'POST',
  path,
  headers: { 'content-type': 'application/json', ...headers },
  body: Buffer.from(JSON.stringify(body)),
});
const get = (path: string): Call => ({ method: 'GET', path, headers: {} });
const form = (path: string, fields: Record<string, string>): Call => {
  const { payload, headers } = encodeForm({ ...fields, file: recording() });
  return { method: 'POST', path, headers, body: payload };
};
const tool = (name: string, args: object): Call =>
  json(
    '/mcp',
    { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } },
    { accept: 'application/json, text/event-stream' },
  );
const body = { content: 'Anna will call the roofer on Monday.' };
const oneNote = async (key: string): Promise<string> =>
  (await steno.call('POST', '/notes/create', { key, body })).body.data.id;

const question = 'What does Anna call?';
const withNote = async (key: string, call: Call) => {
  await oneNote(key);
  return call;
};
const chat = (stream: boolean) =>
  json('/v1/chat/completions', { stream, messages: [{ role: 'user', content: 'Hello' }] });
const inOnePiece = ['before the first byte', 'at the end'] as const;

/** How to call each operation. The name is the route or the tool, with a variant in brackets. */
const table: Record<string, Row> = {
  'POST /api/v1/ask (as a stream)': {
    prepare: (key) => withNote(key, json('/api/v1/ask', { question })),
    waitsFor: 'model',
    places: 2,
  },
  'POST /api/v1/ask (as JSON)': {
    prepare: (key) => withNote(key, json('/api/v1/ask', { question }, { accept: 'application/json' })),
    waitsFor: 'model',
    moments: inOnePiece,
    places: 2,
  },
  'tool ask_notes': {
    prepare: (key) => withNote(key, tool('ask_notes', { question })),
    waitsFor: 'model',
    moments: inOnePiece,
    places: 2,
  },
  'POST /v1/chat/completions (as a stream)': { prepare: () => chat(true), waitsFor: 'model', places: 4 },
  'POST /v1/chat/completions (as JSON)': {
    prepare: () => chat(false),
    waitsFor: 'model',
    moments: inOnePiece,
    places: 4,
  },
  'POST /api/v1/transcribe': {
    prepare: () => form('/api/v1/transcribe', {}),
    waitsFor: 'speech',
    moments: inOnePiece,
  },
  'tool transcribe_audio': {
    prepare: () =>
      tool('transcribe_audio', { audio_base64: recording().toString('base64'), filename: 'note.wav' }),
    waitsFor: 'speech',
    moments: inOnePiece,
  },
  'POST /v1/audio/transcriptions (as JSON)': {
    prepare: () => form('/v1/audio/transcriptions', { model: 'whisper-1' }),
    waitsFor: 'speech',
    moments: inOnePiece,
  },
  'POST /v1/audio/transcriptions (as a stream)': {
    prepare: () => form('/v1/audio/transcriptions', { model: 'whisper-1', stream: 'true' }),
    waitsFor: 'speech',
    moments: inOnePiece,
    goesOn: true,
  },
  'GET /api/v1/export': {
    prepare: async (key) => {
      await oneNote(key);
      return get('/api/v1/export');
    },
    waitsFor: 'nothing',
  },
  'POST /api/v1/import': {
    prepare: async (key) => {
      await oneNote(key);
      const { rawPayload } = await steno.app.inject({ url: '/api/v1/export', headers: bearer(key) });
      return { method: 'POST', path: '/api/v1/import', headers: {}, body: rawPayload };
    },
    waitsFor: 'nothing',
    moments: inOnePiece,
  },
  'GET /api/v1/changes/events': {
    prepare: () => get('/api/v1/changes/events'),
    waitsFor: 'nothing',
    isEndless: true,
  },
  'GET /api/v1/recordings/:id/events': {
    prepare: async (key) => {
      const headers = { ...bearer(key), 'tus-resumable': '1.0.0', 'upload-length': '100' };
      const made = await steno.app.inject({ method: 'POST', url: '/api/v1/recordings/uploads', headers });
      return get(`/api/v1/recordings/${String(made.headers.location).split('/').at(-1)}/events`);
    },
    waitsFor: 'nothing',
    isEndless: true,
  },
  'GET /api/v1/language/jobs/:id/events': {
    prepare: async (key) => {
      const asked = model.requests.length;
      model.next('silent');
      const body = { action: 'summary' };
      const made = await steno.call('POST', `/notes/${await oneNote(key)}/enhance`, { key, body });
      await expect.poll(() => model.requests.length).toBe(asked + 1);
      return get(`/api/v1/language/jobs/${made.body.data.id}/events`);
    },
    waitsFor: 'nothing',
    isEndless: true,
  },
};

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
/** Whether a client that leaves must be noticed: it streams, or it holds one of the places that are counted. */
const isWatched = ({ method, config }: RouteOptions) =>
  method !== 'HEAD' &&
  (config?.events === true || config?.zip === true || config?.errors?.includes('concurrency_limit') === true);

beforeAll(async () => {
  model = await startFakeModel();
  model.answerWith(() => 'Anna will call the roofer on Monday [1].');
  steno = await startWithAssistants({
    speech,
    config: { language: { url: model.url, key: '', model: '', window: 0 } },
  });
});
afterAll(async () => {
  await steno.close();
  await model.close();
});

test('every operation that streams or holds a place is in the table', () => {
  const watched = steno.routes.filter(isWatched).flatMap(({ method, url, config }) => {
    const isLong = config?.errors?.includes('concurrency_limit') === true;
    return [`${method} ${url}`, ...(config?.tool !== undefined && isLong ? [`tool ${config.tool}`] : [])];
  });
  const known = new Set(Object.keys(table).map((name) => name.replace(/ \(.*\)$/, '')));
  for (const name of watched)
    expect(
      known.has(name),
      `${name} streams or holds a place, but this table does not say how to call it: add a row.`,
    ).toBe(true);
  expect([...known].filter((name) => !watched.includes(name))).toEqual([]);
});

/** A client that can leave in any way. */
function open({ method, path, headers, body }: Call, key: string, sends: 'all' | 'half' = 'all') {
  const stop = new AbortController();
  const options = {
    method,
    path,
    agent: false as const,
    signal: stop.signal,
    headers: { ...headers, ...bearer(key), ...(body ? { 'content-length': String(body.length) } : {}) },
  };
  const answered = Promise.withResolvers<IncomingMessage>();
  const connected = Promise.withResolvers<void>();
  const client: ClientRequest = httpRequest(new URL(path, steno.url), options);
  client.on('response', answered.resolve).on('error', () => {});
  client.on('socket', (socket) => socket.once('connect', connected.resolve));
  if (sends === 'all') client.end(body);
  else client.write(body?.subarray(0, body.length / 2));
  return {
    connected: connected.promise,
    answer: answered.promise,
    async firstBytes(): Promise<void> {
      const answer = await answered.promise;
      expect(answer.statusCode).toBe(200);
      answer.on('error', () => {});
      await new Promise((resolve) => answer.once('readable', resolve));
    },
    async lastBytes(): Promise<void> {
      for await (const _ of await answered.promise);
    },
    leave(way: Way): void {
      if (way === 'abort') stop.abort();
      else if (way === 'FIN') client.socket?.end();
      else client.socket?.resetAndDestroy();
    },
  };
}

const connections = () => promisify(steno.app.server.getConnections.bind(steno.app.server))();
const namelessFiles = () =>
  readdirSync('/proc/self/fd').filter((fd) => {
    try {
      return /\.incoming-.* \(deleted\)$/.test(readlinkSync(`/proc/self/fd/${fd}`));
    } catch {
      return false;
    }
  }).length;

async function leaveOnce(row: Row, call: Call, key: string, way: Way, moment: Moment): Promise<void> {
  const asked = model.requests.length;
  const heard = speech.seen.length;
  const isBefore = moment === 'before the first byte';
  const isInOnePiece = row.moments === inOnePiece;
  if (row.waitsFor === 'model') model.next(isBefore || isInOnePiece ? 'silent' : 'slow');
  const release = row.waitsFor === 'speech' ? speech.hold() : model.goOn;
  const client = open(call, key, isBefore && call.path.endsWith('/import') ? 'half' : 'all');
  await client.connected;
  if (row.waitsFor === 'model') await expect.poll(() => model.requests.length).toBe(asked + 1);
  if (row.waitsFor === 'speech') await speech.reached(heard + speech.heard.length + 1);
  if (!isBefore && !(isInOnePiece && row.waitsFor !== 'nothing')) await client.firstBytes();
  if (moment === 'at the end') {
    if (row.waitsFor !== 'nothing') release();
    else if (!row.isEndless) await client.lastBytes();
  }
  client.leave(way);
  if (row.goesOn) release();
  await expect.poll(connections, { message: 'the connection is closed' }).toBe(0);
  await expect.poll(model.inProgress, { message: 'nothing is asked of the model' }).toBe(busyBefore);
  if (row.waitsFor === 'speech') release();
}
let busyBefore = 0;
describe.each(Object.entries(table))('%s', (_name, row) => {
  const cells = (row.moments ?? moments).flatMap((moment) => ways.map((way) => [way, moment] as const));
  test.each(cells)('%s %s leaves nothing behind', async (way, moment) => {
    const { key } = await steno.person({ scopes: [...personalScopes, 'llm:use'] });
    const call = await row.prepare(key);
    busyBefore = model.inProgress();
    for (let left = row.places ?? 1; left > 0; left--) await leaveOnce(row, call, key, way, moment);
    const { method, path, headers, body } = call;
    const again = async () => {
      const client = open(call, key);
      const { statusCode } = await client.answer;
      client.leave('RST');
      return statusCode;
    };
    const whole = async () =>
      (
        await steno.app.inject({
          method: method as 'GET',
          url: path,
          headers: { ...headers, ...bearer(key) },
          ...(body ? { payload: body } : {}),
        })
      ).body;
    if (row.isEndless) expect(await again()).toBe(200);
    else await expect.poll(whole, { message: 'the place is free' }).not.toContain('concurrency_limit');
    await expect.poll(namelessFiles).toBe(0);
    model.goOn();
    await expect.poll(model.inProgress).toBe(0);
  });
});
