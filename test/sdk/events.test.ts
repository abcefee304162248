import { follow, StenoError, type StreamEvent, type Streams } from '@steno/sdk';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startForSdk } from '../support/sdk.ts';
import { createFakeSpeech, recording } from '../support/speech.ts';

let server: Awaited<ReturnType<typeof startForSdk>>;
beforeAll(async () => {
  server = await startForSdk({ speech: createFakeSpeech() });
});
afterAll(() => server.close());

const changes = '/api/v1/changes/events';
type Told = StreamEvent<Streams[typeof changes]>;

describe('a stream of events', () => {
  test('goes on after the last event when it is lost', async () => {
    const { key } = await server.steno.person();
    const lost: unknown[] = [];
    const api = server.clientOf(key, { wait: async () => {} });
    const write = (content: string) => api.POST('/api/v1/notes/create', { body: { content } });
    const stop = new AbortController();
    const told: Told[] = [];
    const seen = Promise.withResolvers<void>();
    const following = (async () => {
      const options = { signal: stop.signal, onLost: (error?: unknown) => lost.push(error) };
      for await (const event of follow(api, changes, options)) {
        told.push(event);
        if (event.event === 'ready' && told.length === 1) await write('first');
        if (event.event !== 'change') continue;
        if (told.filter((one) => one.event === 'change').length === 3) return seen.resolve();
        // Before the next event, the connection is gone and another note is written.
        server.steno.app.server.closeAllConnections();
        await write('while it was away');
      }
    })();
    await seen.promise;
    await following;
    const notes = told.flatMap((one) => (one.event === 'change' ? [one.data] : []));
    expect(new Set(notes.map(({ id }) => id)).size).toBe(3);
    expect(notes[0]).toMatchObject({ type: 'note', action: 'created', space_id: null, revision: 1 });
    expect(lost.length).toBeGreaterThan(0);
    expect(told.every(({ id }) => typeof id === 'string')).toBe(true);
    stop.abort();
  });

  test('ends with its signal, also while it waits', async () => {
    const { key } = await server.steno.person();
    const stop = new AbortController();
    for await (const { event } of follow(server.clientOf(key), changes, { signal: stop.signal })) {
      expect(event).toBe('ready');
      setTimeout(() => stop.abort(), 10);
    }
    const away = new AbortController();
    const api = server.clientOf(key, { url: 'http://127.0.0.1:9' });
    for await (const _ of follow(api, changes, { signal: away.signal, onLost: () => away.abort() }))
      throw new Error('Nobody is there.');
  });

  test('is an error if the server refuses it for good', async () => {
    const refused = async (key: string, since?: string) => {
      const params = since === undefined ? {} : { query: { since } };
      for await (const _ of follow(server.clientOf(key), changes, { params }))
        throw new Error('It was opened.');
    };
    await expect(refused('owk_live_wrong')).rejects.toThrow(StenoError);
    await expect(refused((await server.steno.person()).key, 'odd')).rejects.toMatchObject({
      code: 'validation_error',
    });
  });

  test('tells the words of a recording, and ends with it', async () => {
    const { key } = await server.steno.person();
    const api = server.clientOf(key);
    const body = new Blob([recording({ ms: 2_000 })]);
    const { data } = await api.POST('/api/v1/recordings', { body });
    const texts: string[] = [];
    let state = '';
    for await (const event of follow(api, '/api/v1/recordings/{id}/events', {
      params: { path: { id: data.id } },
    })) {
      if (event.event === 'text') texts.push(event.data.text);
      if (event.event === 'state') state = event.data.state;
    }
    expect(state).toBe('done');
    expect(texts).not.toEqual([]);
  });
});
