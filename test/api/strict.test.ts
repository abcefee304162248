import { afterAll, beforeAll, expect, test } from 'vitest';
import { encodeForm } from '../support/form.ts';
import { createFakeSpeech, recording } from '../support/speech.ts';
import { startSteno, type TestSteno } from '../support/steno.ts';

let steno: TestSteno;
let key: string;
let id: string;
const speech = createFakeSpeech();
const strict = { 'steno-strict': '1' };

beforeAll(async () => {
  steno = await startSteno({ speech });
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

test('a name inside an object or a list is said with its place', async () => {
  const body = { content: 'y', field_updates: { content: 'set', title: 'clear' } };
  const changed = await steno.call('PATCH', `/notes/${id}`, { key, body });
  expect([changed.status, changed.headers['steno-ignored']]).toEqual([200, 'field_updates.title']);
  const refused = await steno.call('PATCH', `/notes/${id}`, { key, body, headers: strict });
  expect([refused.status, refused.headers['x-error-param']]).toEqual([400, 'field_updates.title']);
  const sections = [
    { heading: 'A', instruction: 'a' },
    { heading: 'B', instruction: 'b', tone: 'dry' },
  ];
  const action = { name: 'Minutes', prompt: 'Write.', sections };
  const made = await steno.call('POST', '/actions', { key, body: action, headers: strict });
  expect([made.status, made.body.error.message]).toEqual([
    400,
    'sections[1].tone is unknown here. Leave it out, or check its spelling.',
  ]);
  const notes = [{ content: 'z', edit: { session: 's', seq: 1, at: 'now' } }];
  const many = await steno.call('POST', '/notes/create-many', { key, body: { notes } });
  expect(many.headers['steno-ignored']).toBe('notes[0].edit.at');
});

test.each([
  ['/api/v1/transcribe', {}],
  ['/v1/audio/transcriptions', { model: 'whisper-1' }],
])(
  'a field of the form of %s that is not known is said, and refused before anybody listens',
  async (path, more) => {
    const send = (fields: Record<string, string>, headers = {}) => {
      const form = encodeForm({ file: recording(), language: 'en', ...more, ...fields });
      return steno.call('POST', path, { key, body: form.payload, headers: { ...form.headers, ...headers } });
    };
    const usual = await send({}, strict);
    expect([usual.status, usual.headers['steno-ignored']]).toEqual([200, undefined]);
    const heard = speech.seen.length;
    const refused = await send({ langauge: 'en', sepakers: '2' }, strict);
    expect([refused.status, refused.body.error.message]).toEqual([
      400,
      'langauge is unknown here, like sepakers. Leave it out, or check its spelling.',
    ]);
    expect(speech.seen.length).toBe(heard);
    const ignored = await send({ langauge: 'en' });
    expect([ignored.status, ignored.headers['steno-ignored']]).toEqual([200, 'langauge']);
    const named = { 'idempotency-key': `named ${path}` };
    expect((await send({ langauge: 'en' }, named)).headers['steno-ignored']).toBe('langauge');
    const replayed = await send({ langauge: 'en' }, named);
    expect([replayed.headers['idempotency-replayed'], replayed.headers['steno-ignored']]).toEqual([
      'true',
      'langauge',
    ]);
  },
);

test('so is one of the form of a recording, and nothing of it is kept', async () => {
  const send = (headers = {}) => {
    const form = encodeForm({ file: recording(), langauge: 'en' });
    return steno.call('POST', '/recordings', {
      key,
      body: form.payload,
      headers: { ...form.headers, ...headers },
    });
  };
  expect((await send(strict)).status).toBe(400);
  expect((await steno.call('GET', '/recordings', { key })).body.data).toEqual([]);
  const ignored = await send();
  expect([ignored.status, ignored.headers['steno-ignored']]).toEqual([201, 'langauge']);
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
