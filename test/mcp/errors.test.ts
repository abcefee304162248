import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { defaultPlans } from '../../src/domain/plans.ts';
import { type StenoWithAssistants, startWithAssistants } from '../support/assistant.ts';
import { silentLog } from '../support/steno.ts';

const unknownId = '0198c0de-0000-7000-8000-000000000000';

describe('what a tool refuses', () => {
  let steno: StenoWithAssistants;
  let now = Date.UTC(2026, 0, 15, 12, 0, 20);
  const lines: Record<string, unknown>[] = [];
  beforeAll(async () => {
    const log = { ...silentLog, info: (line: object) => lines.push({ ...line }) };
    steno = await startWithAssistants({
      clock: () => now,
      log,
      config: { trustedProxies: ['127.0.0.1'], plans: defaultPlans },
    });
  });
  afterAll(() => steno.close());

  test('is a tool error with the code and message that the route gives', async () => {
    const { key } = await steno.person();
    const assistant = await steno.connect(key);
    const cases = [
      { tool: 'create_note', args: {}, method: 'POST', path: '/notes/create', body: {} },
      {
        tool: 'create_note',
        args: { content: 7 },
        method: 'POST',
        path: '/notes/create',
        body: { content: 7 },
      },
      { tool: 'list_notes', args: { limit: 101 }, method: 'GET', path: '/notes/list?limit=101' },
      { tool: 'list_notes', args: { limit: { a: 1 } }, method: 'GET', path: '/notes/list?limit=x' },
      { tool: 'list_notes', args: { cursor: '!' }, method: 'GET', path: '/notes/list?cursor=!' },
      {
        tool: 'list_notes',
        args: { space_id: unknownId },
        method: 'GET',
        path: `/notes/list?space_id=${unknownId}`,
      },
      { tool: 'get_note', args: { id: unknownId }, method: 'GET', path: `/notes/${unknownId}` },
      {
        tool: 'update_note',
        args: { id: 'x', title: 'y' },
        method: 'PATCH',
        path: '/notes/x',
        body: { title: 'y' },
      },
      {
        tool: 'search_notes',
        args: { query: '' },
        method: 'POST',
        path: '/notes/search',
        body: { query: '' },
      },
    ];
    for (const { tool, args, method, path, body } of cases) {
      const refused = await assistant.use(tool, args);
      const direct = await steno.call(method, path, { key, body });
      expect([tool, refused.isError, refused.body]).toEqual([tool, true, direct.body]);
      expect(JSON.parse(refused.text)).toEqual(direct.body);
    }
  });

  test('is what cannot be an id, even when it could name another path', async () => {
    const { key } = await steno.person();
    const assistant = await steno.connect(key);
    const codes: Record<string, string> = {};
    for (const id of [
      '..',
      '.',
      '',
      '../folders/list',
      'list',
      '%2e%2e',
      'a?b',
      '#',
      '\ud800',
      'x'.repeat(400),
    ])
      codes[id] = (await assistant.use('get_note_transcript', { id })).body.error.code;
    expect(new Set(Object.values(codes))).toEqual(new Set(['not_found']));
    const missing = await assistant.use('get_note', { note: unknownId });
    expect(missing.body.error).toMatchObject({ code: 'validation_error' });
    expect(missing.body.error.message).toMatch(/^id is required/);
  });

  test('is text that cannot be stored, and nothing is stored', async () => {
    const { key } = await steno.person();
    const assistant = await steno.connect(key);
    for (const content of ['a\u0000b', 'a\ud800b'])
      expect((await assistant.use('create_note', { content })).body.error.code).toBe('validation_error');
    expect((await assistant.use('list_folders', { space_id: '\u0000' })).body.error.code).toBe(
      'validation_error',
    );
    expect((await assistant.use('list_notes')).body.data).toEqual([]);
  });

  test('is a note over the limit of its route, though the tool server takes longer messages', async () => {
    const { key } = await steno.person();
    const assistant = await steno.connect(key);
    const refused = await assistant.use('create_note', { content: 'a'.repeat(2_000_000) });
    expect(refused.body.error).toEqual({
      code: 'payload_too_large',
      message: 'The request body must not exceed 1 MiB.',
    });
  });

  test("is another person's note", async () => {
    const [ada, bob] = [await steno.person(), await steno.person()];
    const note = await (await steno.connect(ada.key)).use('create_note', { content: 'mine' });
    const foreign = await (await steno.connect(bob.key)).use('delete_note', { id: note.body.data.id });
    expect(foreign).toMatchObject({ isError: true, body: { error: { code: 'not_found' } } });
  });

  test('is a call without the scope, which the message names', async () => {
    const { key } = await steno.person({ scopes: ['notes:read'] });
    const refused = await (await steno.connect(key)).use('create_note', { content: 'x' });
    expect(refused.isError).toBe(true);
    expect(refused.body.error).toEqual({
      code: 'forbidden',
      message: 'This key lacks the scope notes:write; use a key that has it.',
    });
  });

  test('is a tool of the other kind of key', async () => {
    const { key } = await steno.person();
    expect((await (await steno.connect(key)).use('list_spaces')).body.error.code).toBe('forbidden');
  });

  test('is a call over the rate limit, with the seconds to wait', async () => {
    const { key } = await steno.person({ plan: 'free' });
    const assistant = await steno.connect(key);
    // Connecting took two messages.
    for (let call = 0; call < 5; call += 1)
      expect((await assistant.use('search_notes', { query: 'x' })).isError).toBe(false);
    for (let call = 0; call < 3; call += 1) expect((await assistant.use('list_notes')).isError).toBe(false);
    const refused = await assistant.use('list_notes');
    expect(refused.isError).toBe(true);
    expect(refused.body.error).toMatchObject({ code: 'rate_limited', retry_after_seconds: 40 });
    await expect(steno.connect(key)).rejects.toThrow('rate_limited');
    await expect(assistant.toolNames()).rejects.toThrow('rate_limited');
    now += 40_000;
    expect((await assistant.use('list_notes')).isError).toBe(false);
  });

  test('costs what the route costs and no more', async () => {
    const { key } = await steno.person();
    const assistant = await steno.connect(key);
    await assistant.toolNames();
    await assistant.use('list_notes');
    await assistant.use('search_notes', { query: 'x' });
    const { headers } = await steno.call('GET', '/me', { key });
    // Two messages to connect, one to list the tools, 1 + 5 for the calls, 1 for this.
    expect(headers['x-ratelimit-remaining']).toBe('290');
  });

  test('counts every message of a batch that is not a tool call', async () => {
    const { key } = await steno.person();
    const message = { jsonrpc: '2.0', method: 'tools/list' };
    await steno.post(JSON.stringify([1, 2, 3].map((id) => ({ ...message, id }))), {
      authorization: `Bearer ${key}`,
    });
    const { headers } = await steno.call('GET', '/me', { key });
    expect(headers['x-ratelimit-remaining']).toBe('296');
  });

  test('is logged like any request of the caller: same id, same address, no arguments', async () => {
    const { key } = await steno.person();
    const params = { name: 'search_notes', arguments: { query: 'secret words' } };
    lines.length = 0;
    await steno.post(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }), {
      authorization: `Bearer ${key}`,
      'x-request-id': 'from-the-assistant',
      'x-forwarded-for': '203.0.113.9',
    });
    expect(lines.find(({ route }) => route === '/api/v1/notes/search')).toMatchObject({
      requestId: 'from-the-assistant',
      address: '203.0.113.9',
      status: 200,
    });
    expect(JSON.stringify(lines)).not.toContain('secret');
  });
});
