import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { anyDatabase, startSteno, type TestSteno } from '../support/steno.ts';

describe.each(anyDatabase)('whose text a note has, on %s', (databaseKind) => {
  let steno: TestSteno;
  let key: string;
  let now = Date.UTC(2026, 4, 1, 12);
  beforeAll(async () => {
    steno = await startSteno({ databaseKind, clock: () => now });
  });
  beforeEach(async () => {
    ({ key } = await steno.person());
  });
  afterAll(() => steno.close());

  const create = (body: object, headers = {}) =>
    steno.call('POST', '/notes/create', { key, body: { content: 'x', ...body }, headers });
  const patch = (id: string, body: object, headers = {}) =>
    steno.call('PATCH', `/notes/${id}`, { key, body, headers });
  const read = (id: string) => steno.call('GET', `/notes/${id}`, { key });
  const count = async () => (await steno.call('GET', '/notes/list', { key })).body.data.length;
  const changes = async (since?: string) =>
    (await steno.call('GET', `/changes${since === undefined ? '' : `?since=${since}`}`, { key })).body;

  test('the same client_note_id makes one note of an owner, however often and whatever the text', async () => {
    const client_note_id = randomUUID();
    const first = await create({ client_note_id });
    expect([first.status, first.body.data.client_note_id]).toEqual([201, client_note_id]);
    const again = await create({ client_note_id, content: 'later' });
    expect([again.status, again.body]).toEqual([200, first.body]);
    expect(await count()).toBe(1);
    const { key: other } = await steno.person();
    const theirs = await steno.call('POST', '/notes/create', {
      key: other,
      body: { content: 'x', client_note_id },
    });
    expect(theirs.status).toBe(201);
  });

  test('of ten such requests at once, one makes a note', async () => {
    const client_note_id = randomUUID();
    const answers = await Promise.all(Array.from({ length: 10 }, () => create({ client_note_id })));
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array(9).fill(200), 201]);
    expect(new Set(answers.map(({ body }) => body.data.id)).size).toBe(1);
    expect(await count()).toBe(1);
  });

  test('a client_note_id that the server gave is that of its note', async () => {
    const { data } = (await create({})).body;
    const again = await create({ client_note_id: data.client_note_id });
    expect([again.status, again.body.data.id]).toEqual([200, data.id]);
  });

  test('a client_note_id whose note is in the trash is 409, and is free when the note is purged', async () => {
    const client_note_id = randomUUID();
    const { id } = (await create({ client_note_id })).body.data;
    await steno.call('DELETE', `/notes/${id}`, { key });
    const refused = await create({ client_note_id });
    expect([refused.status, refused.body.error.code]).toEqual([409, 'conflict']);
    await steno.call('DELETE', `/notes/trash/${id}`, { key });
    expect((await create({ client_note_id })).status).toBe(201);
  });

  test.each(['', 'x'.repeat(256), 5, null])('client_note_id %j is 400', async (client_note_id) => {
    const { status, body } = await create({ client_note_id });
    expect([status, body.error.message]).toEqual([400, expect.stringMatching(/^client_note_id must /)]);
  });

  test('the same edit makes one note, also without a client_note_id', async () => {
    const edit = { session: randomUUID(), seq: 1 };
    const first = await create({ edit });
    expect([first.status, first.body.data.edit]).toEqual([201, edit]);
    const again = await create({ edit, content: 'other' });
    expect([again.status, again.body]).toEqual([200, first.body]);
  });

  test('the same edit changes a note once, and later edits of its session change it again', async () => {
    const session = randomUUID();
    const { data: note } = (await create({})).body;
    const body = { content: 'mine', base_revision: 1, edit: { session, seq: 1 } };
    const first = await patch(note.id, body);
    expect([first.status, first.body.data]).toMatchObject([200, { revision: 2, edit: { session, seq: 1 } }]);
    const again = await patch(note.id, body);
    expect([again.status, again.body]).toEqual([200, first.body]);
    const next = await patch(note.id, {
      ...body,
      content: 'more',
      base_revision: 2,
      edit: { session, seq: 2 },
    });
    expect([next.status, next.body.data.revision]).toEqual([200, 3]);
  });

  test("a pin is no text: the same edit pins once, and the note stays its author's", async () => {
    const { data: note } = (await create({ edit: { session: 'writer', seq: 1 } })).body;
    const body = { pinned: true, base_revision: 1, edit: { session: 'pinner', seq: 1 } };
    for (const _ of [1, 2]) {
      const { status, body: answer } = await patch(note.id, body);
      const stays = { edit: note.edit, edited_at: note.edited_at };
      expect([status, answer.data]).toMatchObject([200, { revision: 2, pinned: true, ...stays }]);
    }
  });

  test('another base_revision is 409 with the note as it is now, and nothing changes', async () => {
    const { data: note } = (await create({ title: 'T' })).body;
    const edit = { session: 'theirs', seq: 4 };
    const theirs = (await patch(note.id, { content: 'theirs', edit })).body.data;
    for (const base_revision of [1, 3]) {
      const late = await patch(note.id, { content: 'mine', base_revision });
      expect([late.status, late.body.error.code]).toEqual([409, 'note_version_conflict']);
      expect(late.body.data).toEqual(theirs);
    }
    expect(theirs).toMatchObject({ revision: 2, edit, edited_with: 'test' });
    expect((await read(note.id)).body.data).toEqual({ ...theirs, transcript: null });
  });

  test('If-Match takes the ETag of a note that was read, made or changed', async () => {
    const made = await create({ title: 'T' });
    const { id } = made.body.data;
    let tag = made.headers.etag;
    for (const content of ['one', 'two']) {
      const saved = await patch(id, { content }, { 'if-match': tag });
      expect([saved.status, saved.body.data.content]).toEqual([200, content]);
      tag = saved.headers.etag;
    }
    const { etag } = (await read(id)).headers;
    expect((await patch(id, { content: 'three' }, { 'if-match': `"other", ${etag}` })).status).toBe(200);
    expect((await patch(id, { content: 'four' }, { 'if-match': '*' })).status).toBe(200);
    for (const stale of [etag, tag, '"other"', 'W/"5', 'nonsense', '']) {
      const late = await patch(id, { content: 'mine' }, { 'if-match': stale });
      expect([late.status, late.body.error?.code, late.body.data]).toEqual([409, 'conflict', undefined]);
    }
    const both = await patch(id, { content: 'mine', base_revision: 5 }, { 'if-match': etag });
    expect([both.status, both.body.error.code, both.body.data.revision]).toEqual([
      409,
      'note_version_conflict',
      5,
    ]);
    expect((await read(id)).body.data).toMatchObject({ content: 'four', revision: 5 });
  });

  test('an ETag still tells a client that it has the note', async () => {
    const { id } = (await create({})).body.data;
    const { etag } = (await read(id)).headers;
    const call = () => steno.call('GET', `/notes/${id}`, { key, headers: { 'if-none-match': String(etag) } });
    expect((await call()).status).toBe(304);
    await patch(id, { pinned: true });
    expect((await call()).status).toBe(200);
  });

  test('all conditions together: each must hold', async () => {
    const { data: note, ...made } = (await create({}, { 'idempotency-key': randomUUID() })).body;
    expect(made).toEqual({});
    const right = { base_revision: 1, expected_updated_at: note.updated_at };
    const etag = (await read(note.id)).headers.etag;
    const wrong = { ...right, expected_updated_at: '2001-01-01T00:00:00Z' };
    expect((await patch(note.id, { content: 'a', ...wrong }, { 'if-match': etag })).status).toBe(409);
    expect((await patch(note.id, { content: 'a', ...right }, { 'if-match': '"9"' })).status).toBe(409);
    expect((await patch(note.id, { content: 'a', ...right }, { 'if-match': etag })).status).toBe(200);
  });

  test('revision grows with text, title, folder and pin, and with nothing else', async () => {
    const folder = (await steno.call('POST', '/folders/create', { key, body: { name: 'F' } })).body.data;
    const { id } = (await create({})).body.data;
    const revision = async () => (await read(id)).body.data.revision;
    const steps: object[] = [
      { content: 'y' },
      { title: 'T' },
      { enhanced_content: 'E' },
      { folder_id: folder.id },
      { pinned: true },
    ];
    for (const [at, step] of steps.entries()) expect((await patch(id, step)).body.data.revision).toBe(at + 2);
    await steno.call('DELETE', `/notes/${id}`, { key });
    await steno.call('POST', `/notes/${id}/restore`, { key });
    expect(await revision()).toBe(6);
    await steno.call('POST', '/notes/change', { key, body: { ids: [id], pinned: false } });
    expect(await revision()).toBe(7);
    await steno.call('POST', '/notes/change', { key, body: { ids: [id], pinned: false } });
    expect(await revision()).toBe(7);
    await steno.call('DELETE', `/folders/${folder.id}`, { key });
    expect(await revision()).toBe(8);
  });

  test('a PATCH that changes nothing leaves no trace', async () => {
    const { data: note } = (await create({ title: 'T', enhanced_content: 'E' })).body;
    const { next_cursor } = await changes();
    now += 60_000;
    const same = { title: 'T', content: 'x', enhanced_content: 'E', pinned: false, folder_id: null };
    for (const body of [same, { ...same, edit: { session: 's', seq: 1 } }, { base_revision: 1 }]) {
      const answer = await patch(note.id, body);
      expect([answer.status, answer.body]).toEqual([200, { data: note }]);
    }
    expect((await read(note.id)).body.data).toEqual({ ...note, transcript: null });
    expect((await changes(next_cursor)).data).toEqual([]);
    expect((await steno.call('GET', `/notes/${note.id}/revisions`, { key })).body.data).toEqual([]);
  });

  test('field_updates says what is meant with a text', async () => {
    const { id } = (await create({ enhanced_content: 'E' })).body.data;
    const cleared = await patch(id, { field_updates: { enhanced_content: 'clear' } });
    expect(cleared.body.data).toMatchObject({ content: 'x', enhanced_content: null, revision: 2 });
    const set = await patch(id, { enhanced_content: 'E2', field_updates: { enhanced_content: 'set' } });
    expect(set.body.data).toMatchObject({ content: 'x', enhanced_content: 'E2' });
    const both = { content: '', field_updates: { content: 'clear', enhanced_content: 'clear' } };
    expect((await patch(id, both)).body.data).toMatchObject({ content: '', enhanced_content: null });
  });

  test.each([
    [{ field_updates: { content: 'set' } }, 'content must be a string: field_updates sets it.'],
    [
      { content: 'y', field_updates: { content: 'clear' } },
      'content must be left out: field_updates clears it.',
    ],
    [{ field_updates: { content: 'keep' } }, 'field_updates.content must be one of set, clear.'],
    [{ field_updates: 'content' }, 'field_updates must be an object.'],
    [{ base_revision: '1' }, /^base_revision must be a whole number/],
    [{ edit: { session: 'a' } }, /^edit.seq is required/],
    [{ edit: { session: '', seq: 1 } }, /^edit.session must have 1 to 255/],
    [{ edit: { session: 'a', seq: -1 } }, /^edit.seq must be a whole number/],
  ])('PATCH %j is 400 and changes nothing', async (body, message) => {
    const { data: note } = (await create({})).body;
    const answer = await patch(note.id, body);
    expect([answer.status, answer.body.error.message]).toEqual([400, expect.stringMatching(message)]);
    expect((await read(note.id)).body.data.revision).toBe(1);
  });
});
