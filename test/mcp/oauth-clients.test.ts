import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startWithAssistants } from '../support/assistant.ts';
import { type Connecting, listTools, redirectUri, startConnecting } from '../support/connect.ts';
import { anyDatabase } from '../support/steno.ts';

const hourMs = 3_600_000;

describe.each(anyDatabase)('clients that register on %s', (databaseKind) => {
  let now = Date.now();
  let steno: Connecting;
  let _origin: string;
  beforeAll(async () => {
    steno = await startConnecting({ databaseKind, clock: () => now });
    _origin = steno.url.origin;
  });
  afterAll(() => steno.close());
  beforeEach(() => {
    now += 25 * hourMs;
  });

  test('what nobody uses is forgotten', async () => {
    const { client_id } = await steno.connected();
    const unused = await steno.register();
    const idOf = async (id: string) => (await steno.store.oauth.findClient(id))?.id;
    now += 25 * hourMs;
    await steno.oauth.forgetOld();
    expect([await idOf(client_id), await idOf(unused)]).toEqual([client_id, undefined]);
    now += 100 * 24 * hourMs;
    await steno.oauth.forgetOld();
    expect(await idOf(client_id)).toBeUndefined();
  });

  test('registrations are bounded for an address, and those of another still work', async () => {
    let status = 201;
    let made = 0;
    for (; status === 201 && made < 150; made += 1)
      ({ status } = await steno.postJson('/oauth/register', { redirect_uris: [redirectUri] }));
    expect([status, made]).toEqual([429, 101]);
    const client = { name: 'x', redirect_uris: [redirectUri] };
    expect(await steno.oauth.register(client, '192.0.2.1')).toMatchObject({ name: 'x' });
    now += 24 * hourMs + 1;
    expect((await steno.postJson('/oauth/register', { redirect_uris: [redirectUri] })).status).toBe(201);
  });

  test('in all, the oldest without a grant make room', async () => {
    const { client_id } = await steno.connected();
    const bounds = { since: new Date(now).toISOString(), perNetwork: 100, waiting: 3 };
    const ids: string[] = [];
    for (let nth = 0; nth < 5; nth += 1) {
      const id = `0198c0de-0000-7000-8000-00000000000${nth}`;
      ids.push(id);
      const created_at = new Date(now + 1_000 + nth).toISOString();
      const client = { id, name: 'x', redirect_uris: [], network: `n${nth}`, created_at, used_at: null };
      expect(await steno.store.oauth.addClient(client, bounds)).toBe('ok');
    }
    const kept = await Promise.all([client_id, ...ids].map((id) => steno.store.oauth.findClient(id)));
    expect(kept.map((client) => client?.id)).toEqual([client_id, undefined, undefined, ...ids.slice(2)]);
  });
});

describe('a server where assistants do not register', () => {
  test('says so, and has no such route', async () => {
    const steno = await startWithAssistants({
      config: { oauthRegistration: false, publicUrl: 'https://notes.example' },
    });
    try {
      const read = async (path: string, options = {}) => steno.app.inject({ url: path, ...options });
      const metadata = (await read('/.well-known/oauth-authorization-server')).json();
      expect(metadata.registration_endpoint).toBeUndefined();
      expect(metadata.issuer).toBe('https://notes.example');
      expect((await read('/oauth/register', { method: 'POST', payload: {} })).statusCode).toBe(404);
      const { headers } = await steno.post(listTools);
      expect(headers['www-authenticate']).toContain('"https://notes.example/.well-known/');
    } finally {
      await steno.close();
    }
  });
});
