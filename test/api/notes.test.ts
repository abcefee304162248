import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { engineNames, startSteno, type TestSteno } from '../support/steno.ts';

describe.each(engineNames)('notes on %s', (engine) => {
  let steno: TestSteno;
  beforeAll(async () => {
    steno = await startSteno({ engine });
  });
  afterAll(() => steno.close());

  test('a created note is listed, found by search and read back', async () => {
    const { key } = await steno.person();
    const created = await steno.call('POST', '/notes/create', {
      key,
      body: { title: 'Plan', content: 'We were running late' },
    });
    expect(created.status).toBe(201);
    const { id } = created.body.data;
    expect((await steno.call('GET', `/notes/${id}`, { key })).body.data).toEqual({
      ...created.body.data,
      transcript: null,
    });
    expect((await steno.call('GET', '/notes/list', { key })).body).toEqual({
      data: [created.body.data],
      has_more: false,
      next_cursor: null,
    });
    const search = await steno.call('POST', '/notes/search', { key, body: { query: 'late runn' } });
    expect(search.body.data).toEqual([{ ...created.body.data, score: 1 }]);
  });
});
