import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { anyDatabase, startSteno, type TestSteno } from '../support/steno.ts';

// Every other suite sends what browsers send. A small program sends no header that it does not need.
describe.each(anyDatabase)(
  'a program that sends neither Accept-Encoding nor Origin, on %s',
  (databaseKind) => {
    let steno: TestSteno;
    let key: string;
    const content = 'a long note '.repeat(300);
    beforeAll(async () => {
      steno = await startSteno({ databaseKind, bare: true });
      ({ key } = await steno.person());
    });
    afterAll(() => steno.close());

    test('creates, reads, lists, finds, changes and deletes a note, and every answer is plain', async () => {
      const made = await steno.call('POST', '/notes/create', { key, body: { content } });
      const { id } = made.body.data;
      const answers = [
        made,
        await steno.call('GET', `/notes/${id}`, { key }),
        await steno.call('GET', '/notes/list', { key }),
        await steno.call('POST', '/notes/search', { key, body: { query: 'long' } }),
        await steno.call('PATCH', `/notes/${id}`, { key, body: { title: 'T' } }),
        await steno.call('DELETE', `/notes/${id}`, { key }),
        await steno.call('GET', `/notes/${id}`, { key }),
      ];
      expect(answers.map(({ status }) => status)).toEqual([201, 200, 200, 200, 200, 204, 404]);
      for (const { headers } of answers) expect(headers['content-encoding']).toBeUndefined();
    });

    test('gets its answer again with an Idempotency-Key', async () => {
      const headers = { 'idempotency-key': 'one' };
      const ask = () => steno.call('POST', '/notes/create', { key, body: { content }, headers });
      const [first, second] = [await ask(), await ask()];
      expect(second.text).toBe(first.text);
    });

    test('adds words and transcribes', async () => {
      expect((await steno.call('POST', '/dictionary/create', { key, body: { word: 'Ada' } })).status).toBe(
        201,
      );
      expect((await steno.upload(key)).status).toBe(200);
    });

    test('may read with a cookie, but not write', async () => {
      const { user } = await steno.person();
      const { cookie } = await steno.signIn(user);
      expect((await steno.call('GET', '/notes/list', { headers: { cookie } })).status).toBe(200);
      const written = await steno.call('POST', '/notes/create', { body: { content }, headers: { cookie } });
      expect([written.status, written.body.error.code]).toEqual([403, 'forbidden']);
    });
  },
);
