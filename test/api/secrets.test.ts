import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { capturedLog } from '../support/log.ts';
import { type Answer, anyDatabase, startSteno, type TestSteno } from '../support/steno.ts';

/** Each marks one place where a private text goes in; none may come out anywhere but in the owner's own answers. */
const word = (place: string) => `sentinel${place}xyzzy`;
const anySentinel = /sentinel\w*xyzzy/;
const cursorOf = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

describe.each(anyDatabase)('private text on %s', (databaseKind) => {
  let steno: TestSteno;
  let key: string;
  let teamKey: string;
  const captured = capturedLog();
  const failures: Answer[] = [];
  const json = { 'content-type': 'application/json' };
  const wrongKey = `owk_live_${'sentinelkeyxyzzy'.padEnd(43, 'A')}`;

  beforeAll(async () => {
    steno = await startSteno({ databaseKind, log: captured.log });
    ({ key } = await steno.person({ name: word('person') }));
    ({ key: teamKey } = await steno.team({ name: word('team') }));
    await useEverything();
  });
  afterAll(() => steno.close().catch(() => {}));

  async function call(method: string, path: string, options: object = {}): Promise<Answer> {
    const answer = await steno.call(method, path, { key, ...options });
    if (answer.status >= 400) failures.push(answer);
    return answer;
  }

  async function useEverything(): Promise<void> {
    const note = { title: word('title'), content: word('content'), enhanced_content: word('enhanced') };
    const { id } = (await call('POST', '/notes/create', { body: note })).body.data;
    await call('PATCH', `/notes/${id}`, { body: { content: word('changed') } });
    await call('GET', `/notes/${id}`);
    await call('GET', '/notes/list');
    await call('POST', '/notes/search', { body: { query: word('query') } });
    await call('POST', '/folders/create', { body: { name: word('folder') } });
    // From here on everything goes wrong.
    await call('POST', '/folders/create', { body: { name: word('folder') } });
    await call('POST', '/notes/create', {
      body: { ...note, note_type: word('type'), folder_id: word('id') },
    });
    await call('POST', '/notes/create', { body: { content: 5, [word('member')]: word('value') } });
    await call('POST', '/notes/search', { body: { query: word('long').repeat(100) } });
    await call('POST', '/notes/create', { headers: json, body: `{"content":"${word('broken')}` });
    await call('POST', '/notes/create', { headers: json, body: `{"content":"${word('nul')}\\u0000"}` });
    await call('POST', '/notes/create', {
      headers: { 'content-type': `text/${word('mime')}` },
      body: word('text'),
    });
    await call('GET', `/notes/list?cursor=${word('cursor')}&${word('parameter')}=1`);
    await call('GET', `/notes/list?cursor=${cursorOf([word('instant'), word('id')])}`);
    await call('GET', `/notes/${word('path')}?q=${word('search')}`);
    await call('GET', `/${word('unknown')}`);
    await call('DELETE', `/notes/list?x=${word('method')}`);
    await call('GET', `/notes/${word('escape')}%zz`);
    await call('GET', `/notes/${word('longpath').repeat(60)}`);
    await call('GET', '/me', { key: wrongKey });
    await call('GET', '/me', { headers: { authorization: `Basic ${word('basic')}` }, key: undefined });
    await call('GET', '/me', {
      headers: { cookie: word('cookie'), 'user-agent': word('agent'), referer: word('referer') },
    });
    await call('GET', `/notes/list?space_id=${word('space')}`, { key: teamKey });
    // Faults for real: the table is gone, then the whole database.
    await steno.database.write(async (db) => db.schema.dropTable('search_fresh').ifExists().execute());
    await call('POST', '/notes/create', { body: note });
    await call('POST', '/notes/search', { body: { query: `${word('query')} "${word('phrase')}"` } });
    await steno.database.close();
    await call('POST', '/notes/create', { body: note });
    await call('POST', '/folders/create', { body: { name: word('folder') } });
  }

  test('the calls above went wrong in every way', () => {
    const codes = new Set(failures.map(({ body }) => body.error.code));
    const expected = [
      'validation_error',
      'invalid_api_key',
      'not_found',
      'method_not_allowed',
      'conflict',
      'internal_error',
    ];
    expect([...codes].sort()).toEqual(expected.sort());
  });

  test('never reaches the log, and keys neither', () => {
    const text = captured.text();
    expect(text).not.toMatch(anySentinel);
    for (const secret of [key, teamKey, wrongKey]) expect(text).not.toContain(secret.slice(12));
    expect(text).not.toMatch(/ow(k|_wks)_live_/);
  });

  test('never reaches an error that a caller sees', () => {
    for (const { text } of failures) expect(text).not.toMatch(anySentinel);
  });

  test('never reaches the metrics', async () => {
    const metrics = await steno.readMetrics();
    expect(metrics).toContain('steno_http_request_duration_seconds');
    expect(metrics).not.toMatch(anySentinel);
  });

  test('each request is one line: method, route pattern, status and time', () => {
    const lines = captured.lines().filter(({ msg }) => msg === 'request');
    const [created] = lines;
    expect(created).toMatchObject({
      level: 30,
      requestId: expect.any(String),
      method: 'POST',
      route: '/api/v1/notes/create',
      status: 201,
      ms: expect.any(Number),
      address: '127.0.0.1',
      caller: expect.any(String),
    });
    const shown = lines.map(({ method, route, status }) => `${method} ${route} ${status}`);
    for (const line of [
      'PATCH /api/v1/notes/:id 200',
      'GET unknown 404',
      'DELETE /api/v1/notes/list 405',
      'GET unknown 400',
    ])
      expect(shown).toContain(line);
    expect(new Set(lines.map(({ requestId }) => requestId)).size).toBe(lines.length);
    expect(lines.filter(({ status }) => Number(status) >= 400)).toHaveLength(failures.length);
  });

  test('a fault is logged with its cause and place', () => {
    const faults = captured.lines().filter(({ msg }) => msg === 'fault');
    expect(faults).toHaveLength(failures.filter(({ status }) => status === 500).length);
    expect(faults.length).toBeGreaterThan(2);
    for (const { fault, level, requestId } of faults) {
      expect([level, typeof requestId]).toEqual([50, 'string']);
      expect(fault).toMatchObject({
        name: expect.any(String),
        stack: expect.stringMatching(/\/src\/(features|platform\/database|engines\/search)\//),
      });
    }
  });
});
