import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { personalKeysOf } from '../../src/domain/api-key.ts';
import { operator } from '../../src/domain/principal.ts';
import { version } from '../../src/lib/version.ts';
import { type StenoWithAssistants, startWithAssistants } from '../support/assistant.ts';
import { stoppedClock } from '../support/clock.ts';

const listTools = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

describe('the door for assistants', () => {
  let steno: StenoWithAssistants;
  let key: string;
  beforeAll(async () => {
    steno = await startWithAssistants();
    key = (await steno.person()).key;
  });
  afterAll(() => steno.close());

  test.each([
    ['no credential', {}],
    ['an unknown key', bearer(`owk_live_${'A'.repeat(43)}`)],
    ['an agent token', bearer(`owt_${'A'.repeat(43)}`)],
    ['another scheme', { authorization: 'Basic YTpi' }],
  ])('answers %s with 401 and where to connect, before it reads the message', async (_, headers) => {
    for (const body of [listTools, 'not JSON']) {
      const answer = await steno.post(body, headers);
      expect(answer.status).toBe(401);
      const pointer = new URL('/.well-known/oauth-protected-resource/mcp', steno.url);
      const error = 'authorization' in headers ? 'error="invalid_token", ' : '';
      expect(answer.headers['www-authenticate']).toBe(`Bearer ${error}resource_metadata="${pointer}"`);
      expect(answer.body.error.code).toBe('invalid_api_key');
    }
  });

  test("refuses a wrong key to the protocol's own client", async () => {
    await expect(steno.connect('owk_live_wrong')).rejects.toThrow('invalid_api_key');
  });

  test('ends a conversation as soon as its key is revoked', async () => {
    const person = await steno.person();
    const assistant = await steno.connect(person.key);
    expect((await assistant.use('list_notes')).isError).toBe(false);
    await steno.keys.revoke(operator, personalKeysOf(person.user.id), person.keyId);
    await expect(assistant.use('list_notes')).rejects.toThrow('invalid_api_key');
  });

  test('keeps guessing addresses out after too many failures, and lets a valid key pass', async () => {
    const strict = await startWithAssistants({
      clock: stoppedClock(Date.now()),
      config: { authFailuresPerMinute: 2 },
    });
    try {
      const person = await strict.person();
      const statuses = [];
      for (let guess = 0; guess < 3; guess += 1) statuses.push((await strict.post(listTools)).status);
      expect(statuses).toEqual([401, 401, 429]);
      expect((await (await strict.connect(person.key)).use('list_notes')).isError).toBe(false);
    } finally {
      await strict.close();
    }
  });

  test('says which Steno it is', async () => {
    const { client } = await steno.connect(key);
    expect(client.getServerVersion()).toMatchObject({ name: 'steno', version });
  });

  test('names an unknown tool in a protocol error', async () => {
    const assistant = await steno.connect(key);
    await expect(assistant.use('drop_notes')).rejects.toMatchObject({
      code: -32_602,
      message: expect.stringContaining('drop_notes'),
    });
  });

  test.each([
    ['broken JSON', '{', 400, -32_700],
    ['no body', '', 400, -32_700],
    ['bytes that are not UTF-8', Uint8Array.from([0x22, 0xff, 0x22]), 400, -32_700],
    ['no message', '{}', 400, -32_600],
    ['an empty batch', '[]', 400, -32_600],
  ])('answers %s with a protocol error', async (_, body, status, code) => {
    const answer = await steno.post(body, bearer(key));
    expect([answer.status, answer.body]).toEqual([
      status,
      { jsonrpc: '2.0', id: null, error: { code, message: expect.any(String) } },
    ]);
  });

  test('answers an unknown method with a protocol error', async () => {
    const answer = await steno.post(JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'x/y' }), bearer(key));
    expect(answer.text).toContain('"code":-32601');
  });

  test('asks for JSON by its media type', async () => {
    const answer = await steno.post(listTools, { ...bearer(key), 'content-type': 'text/plain' });
    expect([answer.status, answer.body.jsonrpc]).toEqual([415, '2.0']);
  });

  test('takes a message that carries 4 MiB of audio and refuses one far beyond', async () => {
    const message = (bytes: number) =>
      JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'x', params: { a: 'A'.repeat(bytes) } });
    expect((await steno.post(message(5_700_000), bearer(key))).text).toContain('-32601');
    const refused = await steno.post(message(7_000_000), bearer(key));
    expect([refused.status, refused.body]).toEqual([
      413,
      { error: { code: 'payload_too_large', message: 'The request body must not exceed 6 MiB.' } },
    ]);
  });

  test.each(['GET', 'DELETE', 'PUT'])(
    'has no %s: there is no stream and no session to end',
    async (method) => {
      const response = await fetch(steno.url, { method, headers: bearer(key) });
      expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST, OPTIONS']);
      expect(await response.json()).toMatchObject({ error: { code: 'method_not_allowed' } });
    },
  );

  test('keeps no session', async () => {
    const answer = await steno.post(listTools, { ...bearer(key), 'mcp-session-id': 'made-up' });
    expect(answer.status).toBe(200);
    expect(answer.headers['mcp-session-id']).toBeUndefined();
  });

  test('opens no subscription, as nothing would ever be sent on it', async () => {
    const { client } = await steno.connect(key, 'auto');
    expect(client.getServerCapabilities()).toEqual({ tools: {} });
    await expect(client.listen({ toolsListChanged: true })).rejects.toThrow();
  });

  test('lets a page of another origin in', async () => {
    const preflight = await fetch(steno.url, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://page.example',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization, content-type, mcp-protocol-version, mcp-method',
      },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-origin')).toBe('*');
    expect(preflight.headers.get('access-control-allow-headers')).toContain('mcp-protocol-version');
    const answer = await steno.post(listTools, { ...bearer(key), origin: 'https://page.example' });
    expect(answer.headers['access-control-allow-origin']).toBe('*');
    expect(answer.headers['access-control-expose-headers']).toContain('WWW-Authenticate');
  });
});
