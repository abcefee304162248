import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { anyDatabase, startSteno, type TestSteno } from '../support/steno.ts';

describe.each(anyDatabase)('fields on %s', (databaseKind) => {
  let steno: TestSteno;
  let key: string;
  let id: string;

  beforeAll(async () => {
    steno = await startSteno({ databaseKind });
    ({ key } = await steno.person());
    const bodies = [
      { content: `# Plan\n\n${'long '.repeat(1_000)}`, title: 'One' },
      { content: 'Call **Ada**.', title: 'Two', enhanced_content: 'Better' },
    ];
    for (const body of bodies)
      ({ id } = (await steno.call('POST', '/notes/create', { key, body })).body.data);
  });
  afterAll(() => steno.close());

  const get = (url: string) => steno.call('GET', url, { key });

  test('a list has only the fields that were asked for, and pages as before', async () => {
    const first = await get('/notes/list?limit=1&fields=title,preview');
    expect(first.body).toMatchObject({ data: [{ title: 'Two', preview: 'Call Ada.' }], has_more: true });
    expect(Object.keys(first.body.data[0])).toEqual(['title', 'preview']);
    const next = await get(`/notes/list?limit=1&fields=title,preview&cursor=${first.body.next_cursor}`);
    expect(next.body.data).toEqual([{ title: 'One', preview: `Plan ${'long '.repeat(39).trim()}` }]);
  });

  test.each(['', '&pinned=first', '&sort=updated', '&since=2020-01-01T00:00Z'])(
    'every field is the same as in the whole list, also with %s',
    async (way) => {
      const { body } = await get(`/notes/list?${way}`);
      for (const name of Object.keys(body.data[0])) {
        const lean = await get(`/notes/list?fields=${name}${way}`);
        expect(lean.body.data).toEqual(
          body.data.map((note: Record<string, unknown>) => ({ [name]: note[name] })),
        );
      }
      const all = await get(`/notes/list?fields=${Object.keys(body.data[0])}${way}`);
      expect(all.body).toEqual(body);
    },
  );

  test('texts that nobody asked for are not read', async () => {
    const ownerId: string = (await get(`/notes/${id}`)).body.data.user_id;
    const [part] = await steno.store.notes.listParts(ownerId, { limit: 1 }, new Set(['title']));
    expect(part).not.toHaveProperty('content');
    expect(part).not.toHaveProperty('enhanced_content');
    expect(part).not.toHaveProperty('enhancement_prompt');
    const [beginning] = await steno.store.notes.listParts(ownerId, { limit: 1 }, new Set(['preview']));
    expect(beginning).toMatchObject({ preview: 'Call Ada.' });
    expect(beginning).not.toHaveProperty('content');
  });

  test('one note has only the fields that were asked for', async () => {
    const { body } = await get(`/notes/${id}?fields=id,preview,edit`);
    expect(body).toEqual({ data: { id, preview: 'Call Ada.', edit: null } });
    expect((await get(`/notes/${id}`)).body.data).not.toHaveProperty('preview');
  });

  test('other lists and gets take fields too', async () => {
    await steno.call('POST', '/folders/create', { key, body: { name: 'Work' } });
    expect((await get('/folders/list?fields=name')).body.data).toEqual([{ name: 'Work' }]);
    expect(Object.keys((await get('/usage?fields=plan')).body.data)).toEqual(['plan']);
  });

  test.each(['/notes/list', '/notes/any', '/transcriptions/list', '/recordings', '/folders/list'])(
    'an unknown field of %s is refused by name',
    async (url) => {
      const { status, body } = await get(`${url}?fields=id,nosuch`);
      expect(status).toBe(400);
      expect(body.error).toEqual({
        code: 'validation_error',
        message: 'fields must name fields of this answer; "nosuch" is none.',
      });
    },
  );
});
