import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { anyDatabase, startSteno, type TestSteno } from '../support/steno.ts';

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const unknownId = '0198c0de-0000-7000-8000-000000000000';
const start = Date.UTC(2026, 4, 1, 12);

describe.each(anyDatabase)('notes on %s', (databaseKind) => {
  let steno: TestSteno;
  let key: string;
  let now = start;
  beforeAll(async () => {
    steno = await startSteno({ databaseKind, clock: () => now });
  });
  beforeEach(async () => {
    ({ key } = await steno.person());
  });
  afterAll(() => steno.close());

  const create = async (body: object) => (await steno.call('POST', '/notes/create', { key, body })).body.data;
  const read = async (id: string) => (await steno.call('GET', `/notes/${id}`, { key })).body.data;
  const patch = (id: string, body?: unknown) => steno.call('PATCH', `/notes/${id}`, { key, body });

  test('a created note is listed, found by search and read back', async () => {
    const note = await create({ title: 'Plan', content: 'We were running late' });
    expect(await read(note.id)).toEqual({ ...note, transcript: null });
    expect((await steno.call('GET', '/notes/list', { key })).body).toEqual({
      data: [note],
      has_more: false,
      next_cursor: null,
    });
    const search = await steno.call('POST', '/notes/search', { key, body: { query: 'late runn' } });
    expect(search.body.data).toEqual([{ ...note, score: 1 }]);
  });

  test('a note can be pinned and let go, and lists keep their order', async () => {
    const { key } = await steno.person();
    const make = async (content: string) =>
      (await steno.call('POST', '/notes/create', { key, body: { content } })).body.data;
    const [first] = [await make('first'), await make('second')];
    const listed = async () =>
      (await steno.call('GET', '/notes/list', { key })).body.data.map(
        ({ content, pinned }: { content: string; pinned: boolean }) => [content, pinned],
      );
    const pin = (pinned: unknown) => steno.call('PATCH', `/notes/${first.id}`, { key, body: { pinned } });
    expect([first.pinned, (await pin(true)).body.data.pinned]).toEqual([false, true]);
    expect((await steno.call('GET', `/notes/${first.id}`, { key })).body.data.pinned).toBe(true);
    expect(
      (await steno.call('POST', '/notes/search', { key, body: { query: 'first' } })).body.data[0].pinned,
    ).toBe(true);
    expect(await listed()).toEqual([
      ['second', false],
      ['first', true],
    ]);
    expect((await pin('yes')).body.error.message).toBe('pinned must be true or false.');
    expect((await pin(false)).body.data.pinned).toBe(false);
  });

  test('a note of content alone gets the defaults, and every nullable member is there', async () => {
    const { user, key: own } = await steno.person();
    const { status, body } = await steno.call('POST', '/notes/create', { key: own, body: { content: 'x' } });
    expect(status).toBe(201);
    expect(body.data).toEqual({
      id: expect.stringMatching(uuid),
      user_id: user.id,
      client_note_id: expect.stringMatching(uuid),
      title: null,
      content: 'x',
      content_is_transcript: false,
      enhanced_content: null,
      enhancement_template_id: null,
      enhancement_prompt: null,
      enhanced_at_content_hash: null,
      note_type: 'personal',
      folder_id: null,
      tags: [],
      pinned: false,
      participants: null,
      calendar_event_id: null,
      revision: 1,
      edit: null,
      edited_by: user.id,
      edited_with: 'test',
      edited_at: new Date(now).toISOString(),
      created_at: new Date(now).toISOString(),
      updated_at: new Date(now).toISOString(),
    });
  });

  test.each([
    ['a title of 500 characters', { title: 'é'.repeat(500) }],
    ['a title of 500 characters outside the basic plane', { title: '😀'.repeat(500) }],
    ['an empty title', { title: '' }],
    ['null where null is a value', { title: null, enhanced_content: null, folder_id: null }],
    ['an empty enhanced content', { enhanced_content: '' }],
    ['a title alone', { title: 'Silence', content: '' }],
    ['each type', { note_type: 'meeting' }],
    ['another type', { note_type: 'upload' }],
    ['content of half a megabyte', { content: 'word '.repeat(100_000) }],
    ['every script, line ends and quotes', { content: '日本語 עברית 😀\r\n\t"\\' }],
    ['a word of a megabyte', { content: 'a'.repeat(1_000_000) }],
  ])('accepts %s and gives it back as it was', async (_name, members) => {
    const note = await create({ content: 'x', ...members });
    expect(note).toMatchObject(members);
    expect(await read(note.id)).toEqual({ ...note, transcript: null });
  });

  test('ignores members it does not know, and those it makes itself', async () => {
    const given = {
      id: unknownId,
      user_id: unknownId,
      created_at: '2001-01-01T00:00:00.000Z',
      transcript: 'x',
      color: 1,
    };
    const note = await create({ content: 'x', ...given, client_note_id: 'mine' });
    expect(note).not.toMatchObject({ id: unknownId });
    expect(note).not.toHaveProperty('color');
    expect(note.created_at).toBe(new Date(now).toISOString());
    expect(await read(note.id)).toMatchObject({ transcript: null });
  });

  test('a member called __proto__ is one it does not know', async () => {
    const body = '{"content":"x","__proto__":{"title":"y","note_type":"upload"}}';
    const options = { key, body, headers: { 'content-type': 'application/json' } };
    const { status, body: made } = await steno.call('POST', '/notes/create', options);
    expect([status, made.data.title, made.data.note_type]).toEqual([201, null, 'personal']);
  });

  const refused: [string, object, string][] = [
    ['no content', {}, 'content'],
    ['neither title nor content', { content: '' }, 'content'],
    ['an empty title and no content', { content: '', title: '' }, 'content'],
    ['null content', { content: null }, 'content'],
    ['a number as content', { content: 5 }, 'content'],
    ['a title of 501 characters', { content: 'x', title: 'x'.repeat(501) }, 'title'],
    ['a list as title', { content: 'x', title: ['x'] }, 'title'],
    ['an unknown type', { content: 'x', note_type: 'memo' }, 'note_type'],
    ['a null type', { content: 'x', note_type: null }, 'note_type'],
    ['a folder that is no UUID', { content: 'x', folder_id: 'inbox' }, 'folder_id'],
    ['a folder that does not exist', { content: 'x', folder_id: unknownId }, 'folder_id'],
    ['a space with a personal key', { content: 'x', space_id: unknownId }, 'space_id'],
  ];
  test.each(refused)('refuses %s, names the member and stores nothing', async (_name, body, member) => {
    const answer = await steno.call('POST', '/notes/create', { key, body });
    expect([answer.status, answer.body.error.code]).toEqual([400, 'validation_error']);
    expect(answer.body.error.message).toContain(member);
    expect((await steno.call('GET', '/notes/list', { key })).body.data).toEqual([]);
  });

  test.each([[[]], ['text'], [5], [null], [true]])('refuses %j as a body', async (body) => {
    const options = { key, body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
    expect((await steno.call('POST', '/notes/create', options)).body.error.code).toBe('validation_error');
    const { id } = await create({ content: 'x' });
    expect((await steno.call('PATCH', `/notes/${id}`, options)).body.error.code).toBe('validation_error');
  });

  test('PATCH changes the given members and nothing else', async () => {
    const folder = (await steno.call('POST', '/folders/create', { key, body: { name: 'Work' } })).body.data;
    let note = await create({ title: 'T', content: 'C', enhanced_content: 'E', note_type: 'meeting' });
    const steps: object[] = [
      { title: 'T2' },
      { content: '' },
      { content: 'C2' },
      { enhanced_content: 'E2' },
      { folder_id: folder.id.toUpperCase() },
      { title: null, enhanced_content: null },
      { folder_id: null },
      { title: '', content: 'C3', folder_id: folder.id, note_type: 'upload', created_at: 'x', color: 1 },
    ];
    for (const step of steps) {
      now += 1_000;
      const kept = Object.entries(step).filter(([name]) => /title|content|folder_id/.test(name));
      const lower = kept.map(([name, value]) => [
        name,
        name === 'folder_id' ? (value?.toLowerCase() ?? null) : value,
      ]);
      const updated_at = new Date(now).toISOString();
      const isText = kept.some(([name]) => name !== 'folder_id');
      note = { ...note, ...Object.fromEntries(lower), revision: note.revision + 1, updated_at };
      if (isText) note = { ...note, edited_at: updated_at };
      const answer = await patch(note.id, step);
      expect([answer.status, answer.body]).toEqual([200, { data: note }]);
      expect(await read(note.id)).toEqual({ ...note, transcript: null });
    }
  });

  test.each([
    ['no body at all', undefined],
    ['{}', {}],
    ['only unknown members', { color: 1 }],
  ])('PATCH with %s answers 200 and changes nothing, not even updated_at', async (_name, body) => {
    const note = await create({ content: 'x' });
    now += 1_000;
    const answer = await patch(note.id, body);
    expect([answer.status, answer.body]).toEqual([200, { data: note }]);
  });

  test.each([
    { content: null },
    { content: 'new', space_id: unknownId },
    { title: 5 },
    { title: 'x'.repeat(501) },
    { folder_id: 'x' },
    { folder_id: unknownId },
    { content: 'new', folder_id: unknownId },
  ])('PATCH refuses %j and changes nothing', async (body) => {
    const note = await create({ content: 'x' });
    now += 1_000;
    const answer = await patch(note.id, body);
    expect([answer.status, answer.body.error.code]).toEqual([400, 'validation_error']);
    expect(await read(note.id)).toEqual({ ...note, transcript: null });
  });

  test('a deleted note is gone from every call, and deleting it again is 404', async () => {
    const { id } = await create({ title: 'Sesame', content: 'sesame' });
    const gone = await steno.call('DELETE', `/notes/${id}`, { key });
    expect([gone.status, gone.text, gone.headers['content-type']]).toEqual([204, '', undefined]);
    for (const [method, path] of [
      ['DELETE', ''],
      ['GET', ''],
      ['PATCH', ''],
      ['GET', '/transcript'],
    ] as const) {
      const answer = await steno.call(method, `/notes/${id}${path}`, { key });
      expect([answer.status, answer.body]).toEqual([
        404,
        { error: { code: 'not_found', message: 'Note not found' } },
      ]);
    }
    expect((await steno.call('GET', '/notes/list', { key })).body.data).toEqual([]);
    expect((await steno.call('POST', '/notes/search', { key, body: { query: 'sesame' } })).body.data).toEqual(
      [],
    );
    const rows = steno.database.db.selectFrom('notes').select(['content', 'deleted_at']).where('id', '=', id);
    expect(await rows.executeTakeFirst()).toEqual({
      content: 'sesame',
      deleted_at: new Date(now).toISOString(),
    });
  });

  test('of two deletes at once one wins', async () => {
    const { id } = await create({ content: 'x' });
    const answers = await Promise.all([1, 2, 3, 4].map(() => steno.call('DELETE', `/notes/${id}`, { key })));
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 404, 404, 404]);
  });

  test.each([
    ['a word', 'not-a-uuid'],
    ['a number', '1'],
    ['a space', '%20'],
    ['a path', '..%2Fme'],
    ['an id nobody has', unknownId],
    ['an id with one digit too many', `${unknownId}0`],
    ['SQL', "'; drop table notes --"],
    ['an emoji', '%F0%9F%98%80'],
    ['a long word', 'x'.repeat(400)],
    ['a very long word', 'x'.repeat(2_000)],
  ])('a note that cannot be is 404: %s', async (_name, id) => {
    for (const [method, body] of [['GET'], ['PATCH', {}], ['PATCH'], ['DELETE']] as const) {
      const answer = await steno.call(method, `/notes/${id}`, { key, body });
      expect([method, answer.status, answer.body?.error?.code]).toEqual([method, 404, 'not_found']);
    }
  });

  test('ids may be written in capitals', async () => {
    const { id } = await create({ content: 'x' });
    expect((await read(id.toUpperCase())).id).toBe(id);
    expect((await patch(id.toUpperCase(), { title: 'y' })).status).toBe(200);
    expect((await steno.call('DELETE', `/notes/${id.toUpperCase()}`, { key })).status).toBe(204);
  });
});
