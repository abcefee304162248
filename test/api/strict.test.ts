import { afterAll, beforeAll, expect, test } from 'vitest';
import { startSteno, type TestSteno } from '../support/steno.ts';

let steno: TestSteno;
let key: string;
let id: string;
const strict = { 'steno-strict': '1' };

beforeAll(async () => {
  steno = await startSteno();
  ({ key } = await steno.person());
  ({ id } = (await steno.call('POST', '/notes/create', { key, body: { content: 'x' } })).body.data);
});
afterAll(() => steno.close());

test('what is not known is ignored, and said', async () => {
  const changed = await steno.call('PATCH', `/notes/${id}`, {
    key,
    body: { title: 'New', note_type: 'meeting' },
  });
  expect(changed.status).toBe(200);
  expect(changed.body.data).toMatchObject({ title: 'New', note_type: 'personal' });
  expect(changed.headers['steno-ignored']).toBe('note_type');
  const listed = await steno.call('GET', '/notes/list?limt=5&fields=id', { key });
  expect([listed.status, listed.headers['steno-ignored']]).toEqual([200, 'limt']);
  expect((await steno.call('GET', '/notes/list?limit=5', { key })).headers).not.toHaveProperty(
    'steno-ignored',
  );
});

test('with Steno-Strict it is refused by name, and nothing changes', async () => {
  const body = { title: 'Other', note_type: 'meeting', colour: 'red' };
  const refused = await steno.call('PATCH', `/notes/${id}`, { key, body, headers: strict });
  expect([refused.status, refused.headers['x-error-param']]).toEqual([400, 'note_type']);
  expect(refused.body.error).toEqual({
    code: 'validation_error',
    message: 'note_type is unknown here, like colour. Leave it out, or check its spelling.',
  });
  expect((await steno.call('GET', `/notes/${id}`, { key })).body.data.title).not.toBe('Other');
  expect((await steno.call('GET', '/folders/list?limt=5', { key, headers: strict })).status).toBe(400);
  // A body whose schema is checked as a whole, and one that may be left out.
  const many = { ids: [id], pinned: true, force: true };
  expect((await steno.call('POST', '/notes/change', { key, body: many, headers: strict })).status).toBe(400);
  const known = await steno.call('PATCH', `/notes/${id}`, { key, body: { pinned: true }, headers: strict });
  expect(known.status).toBe(200);
});

test('names of strangers are bounded, and cannot break the header', async () => {
  const names = Array.from({ length: 3_000 }, (_, at) => [`ü\r\n${'x'.repeat(200)}${at}`, 1]);
  const body = { content: 'x', ...Object.fromEntries(names) };
  const made = await steno.call('POST', '/notes/create', { key, body });
  expect(made.status).toBe(201);
  expect(String(made.headers['steno-ignored'])).toMatch(/^[\w%, ]{1,1000}$/);
  const refused = await steno.call('POST', '/notes/create', { key, body, headers: strict });
  expect(refused.status).toBe(400);
  expect(refused.body.error.message.length).toBeLessThan(1_200);
});
