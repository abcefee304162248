import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { toMarkdown } from '../../src/domain/export.ts';
import { personalScopes } from '../../src/domain/scopes.ts';
import { maxTagsPerNote, maxTagsPerOwner } from '../../src/features/tags/schema.ts';
import { ours, zipped } from '../support/exports.ts';
import { joinTeam } from '../support/member.ts';
import { anyDatabase, startSteno, type TestSteno } from '../support/steno.ts';

const unknownId = '0198c0de-0000-7000-8000-000000000000';
interface Tag {
  id: string;
  name: string;
  note_count: number;
}
interface Note {
  id: string;
  tags: { id: string; name: string }[];
  revision: number;
  updated_at: string;
}

describe.each(anyDatabase)('tags on %s', (databaseKind) => {
  let steno: TestSteno;
  let key: string;
  let now = Date.UTC(2026, 4, 1, 12);
  beforeAll(async () => {
    steno = await startSteno({ databaseKind, clock: () => now });
  });
  beforeEach(async () => {
    now += 60_000;
    ({ key } = await steno.person());
  });
  afterAll(() => steno.close());

  const call = (
    method: string,
    path: string,
    body?: unknown,
    as = key,
    headers: Record<string, string> = {},
  ) => steno.call(method, path, { key: as, headers, ...(body === undefined ? {} : { body }) });
  /** The data of an answer that must be a success. */
  async function ok(method: string, path: string, body?: unknown, as = key) {
    const answer = await call(method, path, body, as);
    expect(answer.status, answer.text).toBeLessThan(300);
    return answer.body?.data;
  }
  const refused = async (...given: Parameters<typeof call>) => {
    const { status, body } = await call(...given);
    return [status, body.error.code, body.error.message];
  };
  const tags = async (query = '', as = key): Promise<Tag[]> => ok('GET', `/tags/list${query}`, undefined, as);
  const counts = async (query = '', as = key) =>
    (await tags(query, as)).map(({ name, note_count }) => `${name} ${note_count}`);
  const make = (name: string, as = key): Promise<Tag> => ok('POST', '/tags/create', { name }, as);
  const note = (fields: object = {}, as = key): Promise<Note> =>
    ok('POST', '/notes/create', { content: 'words', ...fields }, as);
  const read = (id: string, as = key): Promise<Note> => ok('GET', `/notes/${id}`, undefined, as);
  const names = ({ tags }: Pick<Note, 'tags'>) => tags.map(({ name }) => name);
  const listed = async (query: string, as = key): Promise<string[]> =>
    (await ok('GET', `/notes/list?limit=100${query}`, undefined, as)).map(({ id }: Note) => id);

  describe('the resource', () => {
    test('a new tag has a name and no notes', async () => {
      const { status, body } = await call('POST', '/tags/create', { name: '  Work ' });
      expect(status).toBe(201);
      const at = new Date(now).toISOString();
      expect(body.data).toEqual({
        id: expect.any(String),
        name: 'Work',
        space_id: null,
        note_count: 0,
        created_at: at,
        updated_at: at,
      });
      expect(await tags()).toEqual([body.data]);
    });

    test.each<[string, unknown]>([
      ['no name', {}],
      ['an empty name', { name: '' }],
      ['a name that cannot be seen', { name: '\u200b' }],
      ['a name of two lines', { name: 'a\nb' }],
      ['a name of 101 characters', { name: 'x'.repeat(101) }],
      ['null as name', { name: null }],
    ])('refuses %s', async (_, body) => {
      expect((await refused('POST', '/tags/create', body)).slice(0, 2)).toEqual([400, 'validation_error']);
      expect(await tags()).toEqual([]);
    });

    test.each([
      ['other case', 'Work', 'WORK'],
      ['ä in two code points', 'Gär', 'GA\u0308R'],
      ['ß and ss', 'Straße', 'STRASSE'],
      ['full width', 'Work', 'Ｗｏｒｋ'],
      ['an emoji with and without its selector', '❤\ufe0f', '❤'],
    ])('of %s is the same name: a conflict by itself, the same tag on a note', async (_, first, second) => {
      const tag = await make(first);
      expect((await refused('POST', '/tags/create', { name: second })).slice(0, 2)).toEqual([
        409,
        'conflict',
      ]);
      expect((await note({ tags: [second] })).tags).toEqual([{ id: tag.id, name: first }]);
      expect((await note({ tags: [first, second] })).tags).toHaveLength(1);
    });

    test('names of a hundred letters outside the basic plane are stored as they are', async () => {
      const name = '🦊'.repeat(100);
      const { id } = await make(name);
      expect((await note({ tag_ids: [id] })).tags).toEqual([{ id, name }]);
    });

    test('renaming changes its notes, also those in the trash, and each is a changed note', async () => {
      const { id } = await make('Old');
      const [one, gone] = [await note({ tags: ['Old', 'M'] }), await note({ tags: ['Old'] })];
      await ok('DELETE', `/notes/${gone.id}`);
      now += 1_000;
      expect(await ok('PATCH', `/tags/${id}`, { name: 'A new one' })).toMatchObject({ id, note_count: 1 });
      const after = await read(one.id);
      expect(names(after)).toEqual(['A new one', 'M']);
      expect(after.revision).toBe(one.revision + 1);
      expect(after.updated_at > one.updated_at).toBe(true);
      expect(names(await ok('POST', `/notes/${gone.id}/restore`))).toEqual(['A new one']);
      expect(await counts()).toEqual(['A new one 2', 'M 1']);
    });

    test('the same name again changes nothing; its own in other letters does; the name of another is a conflict', async () => {
      const { id } = await make('Work');
      await make('Home');
      const one = await note({ tag_ids: [id] });
      await ok('PATCH', `/tags/${id}`, { name: 'Work' });
      expect(await read(one.id)).toMatchObject({ revision: one.revision });
      await ok('PATCH', `/tags/${id}`, { name: 'WORK' });
      expect(names(await read(one.id))).toEqual(['WORK']);
      expect((await refused('PATCH', `/tags/${id}`, { name: 'home' })).slice(0, 2)).toEqual([
        409,
        'conflict',
      ]);
    });

    test('merging gives its notes the other tag, once', async () => {
      const [from, into] = [await make('Car'), await make('Auto')];
      const [only, both, none] = [
        await note({ tags: ['Car'] }),
        await note({ tags: ['car', 'auto'] }),
        await note({ tags: ['Auto'] }),
      ];
      const merged = await ok('POST', `/tags/${from.id}/merge`, { into: into.id });
      expect(merged).toMatchObject({ id: into.id, name: 'Auto', note_count: 3 });
      for (const { id } of [only, both, none]) expect(names(await read(id))).toEqual(['Auto']);
      expect((await read(none.id)).revision).toBe(none.revision);
      expect(await counts()).toEqual(['Auto 3']);
      expect((await refused('POST', `/tags/${from.id}/merge`, { into: into.id }))[0]).toBe(404);
    });

    test('a tag is not merged into itself, into an unknown one, or into one of another place', async () => {
      const { id } = await make('One');
      const other = await make('Two', (await steno.person()).key);
      for (const into of [id, unknownId, other.id])
        expect((await refused('POST', `/tags/${id}/merge`, { into })).slice(0, 2)).toEqual([
          400,
          'validation_error',
        ]);
    });

    test('a merge that is sent again with its Idempotency-Key gets the same answer', async () => {
      const [from, into] = [await make('Car'), await make('Auto')];
      const send = () =>
        call('POST', `/tags/${from.id}/merge`, { into: into.id }, key, { 'idempotency-key': 'merge-1' });
      const [first, again] = [await send(), await send()];
      expect([first.status, again.status]).toEqual([200, 200]);
      expect(again.body).toEqual(first.body);
    });

    test('deleting takes it from its notes, also from those in the trash', async () => {
      const { id } = await make('Gone');
      const [one, trashed] = [await note({ tags: ['Gone', 'Stays'] }), await note({ tags: ['Gone'] })];
      await ok('DELETE', `/notes/${trashed.id}`);
      expect((await call('DELETE', `/tags/${id}`)).status).toBe(204);
      const after = await read(one.id);
      expect([names(after), after.revision]).toEqual([['Stays'], one.revision + 1]);
      expect((await ok('POST', `/notes/${trashed.id}/restore`)).tags).toEqual([]);
      expect(await refused('DELETE', `/tags/${id}`)).toEqual([404, 'not_found', 'Tag not found']);
    });

    test('a note in the trash does not count, and counts again when it is restored', async () => {
      const { id } = await note({ tags: ['Work'] });
      await ok('DELETE', `/notes/${id}`);
      expect(await counts()).toEqual(['Work 0']);
      expect(names((await ok('GET', '/notes/trash'))[0])).toEqual(['Work']);
      await ok('POST', `/notes/${id}/restore`);
      expect(await counts()).toEqual(['Work 1']);
      await ok('DELETE', `/notes/${id}`);
      await ok('DELETE', `/notes/trash/${id}`);
      expect(await counts()).toEqual(['Work 0']);
    });

    test('a thousand tags are listed with their counts, and a place holds no more than it may', async () => {
      const rows = Array.from({ length: 20 }, (_, row) => ({
        content: 'many',
        tags: Array.from({ length: 50 }, (_, at) => `tag ${row} ${at}`),
      }));
      const made = await ok('POST', '/notes/create-many', { notes: rows });
      expect(made.map(({ status }: { status: number }) => status)).toEqual(rows.map(() => 201));
      const all = await tags();
      expect(all).toHaveLength(1_000);
      expect(new Set(all.map(({ note_count }) => note_count))).toEqual(new Set([1]));
      const { user_id } = await ok('GET', '/me');
      const at = '2026-01-01T00:00:00.000Z';
      const more = Array.from({ length: maxTagsPerOwner - 1_000 }, (_, row) => ({
        ...{ id: `more ${user_id} ${row}`, owner_id: user_id, space_id: null },
        ...{ name: `more ${row}`, name_key: `more ${row}`, created_at: at, updated_at: at },
      }));
      for (let row = 0; row < more.length; row += 500)
        await steno.database.write((tx) =>
          tx
            .insertInto('tags')
            .values(more.slice(row, row + 500))
            .execute(),
        );
      for (const [path, body] of [
        ['/tags/create', { name: 'One more' }],
        ['/notes/create', { content: 'x', tags: ['One more'] }],
      ] as const)
        expect((await refused('POST', path, body)).slice(0, 2)).toEqual([400, 'limit_reached']);
      expect(names(await note({ tags: ['TAG 3 4'] }))).toEqual(['tag 3 4']);
    });
  });

  describe('on notes', () => {
    test('a note without tags has an empty list, and a new one has those that it names, in the order of names', async () => {
      expect((await note()).tags).toEqual([]);
      const made = await note({ tags: ['b', 'Ä', 'a'] });
      expect(names(made)).toEqual(['a', 'b', 'Ä']);
      expect(await read(made.id)).toMatchObject({ tags: made.tags, revision: 1 });
      expect(await counts()).toEqual(['a 1', 'b 1', 'Ä 1']);
      const [whole] = await ok('GET', '/notes/list');
      expect(whole.tags).toEqual(made.tags);
      expect(await ok('GET', `/notes/${made.id}?fields=tags`)).toEqual({ tags: made.tags });
      expect((await ok('GET', '/notes/list?fields=tags'))[0]).toEqual({ tags: made.tags });
    });

    test('PATCH replaces them, by names or by ids; the same ones change nothing', async () => {
      const { id, revision } = await note({ tags: ['a', 'b'] });
      const c = await make('c');
      const changed = await ok('PATCH', `/notes/${id}`, { tags: ['B', 'c', 'new'] });
      expect([names(changed), changed.revision]).toEqual([['b', 'c', 'new'], revision + 1]);
      expect((await ok('PATCH', `/notes/${id}`, { tags: ['NEW', 'C', 'b'] })).revision).toBe(revision + 1);
      expect(names(await ok('PATCH', `/notes/${id}`, { tag_ids: [c.id] }))).toEqual(['c']);
      expect(names(await ok('PATCH', `/notes/${id}`, { pinned: true }))).toEqual(['c']);
      expect((await ok('PATCH', `/notes/${id}`, { tags: [] })).tags).toEqual([]);
      expect(await counts()).toEqual(['a 0', 'b 0', 'c 0', 'new 0']);
      expect(await ok('GET', `/notes/${id}/revisions`)).toEqual([]);
    });

    test.each<[string, object, string]>([
      ['both names and ids', { tags: ['a'], tag_ids: [unknownId] }, 'tag_ids'],
      ['the id of no tag', { tag_ids: [unknownId] }, 'tag_ids'],
      ['a name that is none', { tags: [' '] }, 'tags'],
      ['more tags than a note can have', { tags: Array.from({ length: 51 }, (_, at) => `t${at}`) }, 'tags'],
      ['null', { tags: null }, 'tags'],
    ])('refuses %s in a draft, a change, a row and a change of many', async (_, given, field) => {
      const { id } = await note();
      for (const [method, path, body] of [
        ['POST', '/notes/create', { content: 'x', ...given }],
        ['PATCH', `/notes/${id}`, given],
        ['POST', '/notes/change', { ids: [id], ...given }],
      ] as const) {
        const [status, code, message] = await refused(method, path, body);
        expect([path, status, code]).toEqual([path, 400, 'validation_error']);
        expect(message).toContain(field);
      }
      const [row] = await ok('POST', '/notes/create-many', { notes: [{ content: 'x', ...given }] });
      expect([row.status, row.error.code]).toEqual([400, 'validation_error']);
      expect(await tags()).toEqual([]);
      expect(await read(id)).toMatchObject({ tags: [], revision: 1 });
    });

    test('a wrong revision leaves the note, and makes no tag', async () => {
      const { id } = await note();
      const [status, code] = await refused('PATCH', `/notes/${id}`, { tags: ['new'], base_revision: 7 });
      expect([status, code]).toEqual([409, 'note_version_conflict']);
      expect(await tags()).toEqual([]);
    });

    test('many notes get, lose and change them; who sends it again changes nothing more', async () => {
      const notes = [await note({ tags: ['a'] }), await note({ tags: ['b'] }), await note()];
      const ids = notes.map(({ id }) => id);
      const change = async (given: object) => {
        expect((await ok('POST', '/notes/change', { ids, ...given })).length).toBe(3);
        return Promise.all(ids.map(async (id) => names(await read(id)).join(' ')));
      };
      expect(await change({ add_tags: ['B', 'c'] })).toEqual(['a b c', 'b c', 'b c']);
      const revisions = async () => Promise.all(ids.map(async (id) => (await read(id)).revision));
      const before = await revisions();
      await change({ add_tags: ['c'] });
      expect(await revisions()).toEqual(before);
      expect(await change({ remove_tags: ['B', 'unknown'] })).toEqual(['a c', 'c', 'c']);
      expect(await change({ tags: ['x'] })).toEqual(['x', 'x', 'x']);
      expect(await change({ tag_ids: [] })).toEqual(['', '', '']);
      expect(await counts()).toEqual(['a 0', 'b 0', 'c 0', 'x 0']);
    });

    test('a note that would have too many tags stays, and all the others too', async () => {
      const most = Array.from({ length: maxTagsPerNote }, (_, at) => `t${at}`);
      const [full, other] = [await note({ tags: most }), await note()];
      const ids = [other.id, full.id];
      expect((await refused('POST', '/notes/change', { ids, add_tags: ['more'] })).slice(0, 2)).toEqual([
        400,
        'validation_error',
      ]);
      expect((await read(other.id)).tags).toEqual([]);
    });

    test('a note that was made before keeps its tags, whatever the second request names', async () => {
      const first = await note({ client_note_id: 'phone-1', tags: ['a'] });
      const again = await call('POST', '/notes/create', {
        content: 'x',
        client_note_id: 'phone-1',
        tags: ['b'],
      });
      expect([again.status, again.body.data.id, names(again.body.data)]).toEqual([200, first.id, ['a']]);
    });

    test('with an Idempotency-Key a note with tags is made once', async () => {
      const send = () =>
        call('POST', '/notes/create', { content: 'x', tags: ['a'] }, key, { 'idempotency-key': 'n-1' });
      const [first, again] = [await send(), await send()];
      expect([first.status, again.status]).toEqual([201, 201]);
      expect(again.body.data).toEqual(first.body.data);
      expect(await counts()).toEqual(['a 1']);
    });

    test('restoring an earlier text keeps the tags of now', async () => {
      const { id } = await note({ tags: ['a'] });
      await ok('PATCH', `/notes/${id}`, { content: 'other words' });
      await ok('PATCH', `/notes/${id}`, { tags: ['b'] });
      const [revision] = await ok('GET', `/notes/${id}/revisions`);
      expect(names(await ok('POST', `/notes/${id}/revisions/${revision.id}/restore`))).toEqual(['b']);
    });

    test('an ETag of a note or a list is another one after a tag was renamed', async () => {
      const { id } = await note({ tags: ['a'] });
      const [tag] = await tags();
      const etags = () =>
        Promise.all(
          [`/notes/${id}`, '/notes/list'].map(async (path) => (await call('GET', path)).headers.etag),
        );
      const before = await etags();
      await ok('PATCH', `/tags/${tag?.id}`, { name: 'b' });
      for (const [at, etag] of (await etags()).entries()) expect(etag).not.toBe(before[at]);
    });

    test('strict mode knows the fields of tags', async () => {
      const strict = { 'steno-strict': '1' };
      expect((await call('POST', '/notes/create', { content: 'x', tags: ['a'] }, key, strict)).status).toBe(
        201,
      );
      expect((await call('POST', '/notes/create', { content: 'x', tagz: ['a'] }, key, strict)).status).toBe(
        400,
      );
      expect((await call('POST', '/tags/create', { name: 'b', colour: 'red' }, key, strict)).status).toBe(
        400,
      );
    });
  });

  describe('lists and search', () => {
    test('tag_id narrows a list in every order, page by page, with other filters', async () => {
      const folder = await ok('POST', '/folders/create', { name: 'F' });
      const ids: string[] = [];
      for (let at = 0; at < 6; at += 1) {
        now += 1_000;
        const place = at % 2 === 0 ? { folder_id: folder.id } : {};
        ids.unshift((await note({ tags: at < 4 ? ['x', 'y'] : ['y'], ...place })).id);
      }
      const tagged = ids.slice(2);
      const [x] = await tags();
      const query = `&tag_id=${x?.id}`;
      expect(await listed(query)).toEqual(tagged);
      const [oldest = ''] = ids.slice(-1);
      now += 1_000;
      await ok('PATCH', `/notes/${oldest}`, { pinned: true });
      expect(await listed(`${query}&sort=updated`)).toEqual([oldest, ...tagged.slice(0, -1)]);
      expect(await listed(`${query}&pinned=first`)).toEqual([oldest, ...tagged.slice(0, -1)]);
      expect(await listed(`${query}&folder_id=${folder.id}`)).toEqual([tagged[1], tagged[3]]);
      expect(await listed(`${query}&note_type=meeting`)).toEqual([]);
      const pages: string[] = [];
      for (let cursor: string | null = ''; cursor !== null; ) {
        const { body } = await call('GET', `/notes/list?limit=3${query}${cursor && `&cursor=${cursor}`}`);
        pages.push(...body.data.map(({ id }: Note) => id));
        cursor = body.next_cursor;
      }
      expect(pages).toEqual(tagged);
      await ok('DELETE', `/notes/${tagged[0]}`);
      expect(await listed(query)).toEqual(tagged.slice(1));
    });

    test('a search finds only notes with the tag, and refuses the tag of another person', async () => {
      const [one] = [await note({ content: 'walrus', tags: ['a'] }), await note({ content: 'walrus' })];
      const found = await ok('POST', '/notes/search', { query: 'walrus', tag_id: one?.tags[0]?.id });
      expect(found.map(({ id, tags }: Note) => [id, names({ tags })])).toEqual([[one?.id, ['a']]]);
      const other = await make('b', (await steno.person()).key);
      const [status, , message] = await refused('POST', '/notes/search', {
        query: 'walrus',
        tag_id: other.id,
      });
      expect([status, message]).toEqual([400, 'tag_id must be the id of one of your tags.']);
      expect(await listed(`&tag_id=${other.id}`)).toEqual([]);
    });
  });

  describe('people, spaces and keys', () => {
    test('the tags of two people have nothing to do with each other', async () => {
      const other = (await steno.person()).key;
      const mine = await make('Work');
      const theirs = await make('Work', other);
      expect(await counts('', other)).toEqual(['Work 0']);
      for (const [method, path, body] of [
        ['PATCH', `/tags/${theirs.id}`, { name: 'x' }],
        ['DELETE', `/tags/${theirs.id}`, undefined],
        ['POST', `/tags/${theirs.id}/merge`, { into: mine.id }],
      ] as const)
        expect((await refused(method, path, body))[0]).toBe(404);
      expect((await refused('POST', '/notes/create', { content: 'x', tag_ids: [theirs.id] }))[0]).toBe(400);
    });

    test('a key needs the scopes of folders for tags, and those of notes to name them on a note', async () => {
      const reading = (await steno.person({ scopes: ['notes:read'] })).key;
      expect(await tags('', reading)).toEqual([]);
      expect((await refused('POST', '/tags/create', { name: 'x' }, reading))[0]).toBe(403);
      const other = personalScopes.filter((scope) => !scope.startsWith('notes:'));
      const without = (await steno.person({ scopes: other })).key;
      expect((await refused('GET', '/tags/list', undefined, without))[0]).toBe(403);
      const team = await steno.team({ scopes: ['workspace:notes:read', 'workspace:notes:write'] });
      const query = `?space_id=${team.space.id}`;
      expect((await refused('GET', `/tags/list${query}`, undefined, team.key))[0]).toBe(403);
      const named = { space_id: team.space.id, tags: ['Plan'] };
      expect(names(await note(named, team.key))).toEqual(['Plan']);
    });

    test('each space has its own, and notes of two places are not tagged at once', async () => {
      const team = await steno.team();
      const admin = (await steno.signIn(team.user)).token;
      const second = await ok('POST', `/api/workspaces/${team.workspace.id}/spaces`, { name: 'Two' }, admin);
      const [here, there] = [`?space_id=${team.space.id}`, `?space_id=${second.id}`];
      const one = await note({ space_id: team.space.id, tags: ['Plan'] }, team.key);
      const two = await note({ space_id: second.id, tags: ['plan'] }, team.key);
      expect(await counts(here, team.key)).toEqual(['Plan 1']);
      expect(await counts(there, team.key)).toEqual(['plan 1']);
      const [foreign] = two.tags;
      expect((await refused('PATCH', `/notes/${one.id}`, { tag_ids: [foreign?.id] }, team.key))[0]).toBe(400);
      const both = { ids: [one.id, two.id], add_tags: ['x'] };
      expect((await refused('POST', '/notes/change', both, team.key))[0]).toBe(400);
      expect((await refused('GET', '/tags/list', undefined, team.key))[0]).toBe(400);
      expect((await refused('GET', `/tags/list${here}`))[0]).toBe(400);
    });

    test('a member tags notes of a space, and has nothing of it after leaving', async () => {
      const team = await steno.team();
      const admin = (await steno.signIn(team.user)).token;
      const bob = await joinTeam(steno, { admin, workspaceId: team.workspace.id });
      const query = `?space_id=${team.space.id}`;
      const { id, tags: given } = await note({ space_id: team.space.id, tags: ['Team'] }, bob.token);
      await note({ tags: ['Own'] }, bob.token);
      const tagId = given[0]?.id;
      await ok('DELETE', `/api/workspaces/${team.workspace.id}/members/${bob.id}`, undefined, bob.token);
      for (const [method, path, body] of [
        ['GET', `/tags/list${query}`, undefined],
        ['PATCH', `/tags/${tagId}`, { name: 'x' }],
        ['DELETE', `/tags/${tagId}`, undefined],
        ['PATCH', `/notes/${id}`, { tags: ['x'] }],
      ] as const)
        expect((await refused(method, path, body, bob.token))[0]).toBe(404);
      expect(await ok('POST', '/notes/change', { ids: [id], add_tags: ['x'] }, bob.token)).toEqual([]);
      expect(await counts('', bob.token)).toEqual(['Own 1']);
      expect(await counts(query, team.key)).toEqual(['Team 1']);
    });

    test('the tags of a deleted account are gone', async () => {
      const { user } = await steno.person();
      const { token } = await steno.signIn(user);
      await note({ tags: ['a', 'b'] }, token);
      const { db } = steno.database;
      const left = () => db.selectFrom('tags').select('id').where('owner_id', '=', user.id).execute();
      expect(await left()).toHaveLength(2);
      expect((await call('DELETE', '/api/account', { confirm: user.name }, token)).status).toBeLessThan(300);
      expect(await left()).toEqual([]);
    });
  });

  describe('at the same moment', () => {
    test('of twenty that make one name by notes, all get the one tag', async () => {
      const made = await Promise.all(Array.from({ length: 20 }, () => note({ tags: ['Same', 'Other'] })));
      expect(new Set(made.map((one) => JSON.stringify(one.tags))).size).toBe(1);
      expect(await counts()).toEqual(['Other 20', 'Same 20']);
    });

    test.each(['merge', 'delete', 'rename'])(
      'a %s while others write leaves no note with the old tag',
      async (what) => {
        const [from, into] = [await make('from'), await make('into')];
        const notes = await Promise.all(Array.from({ length: 10 }, () => note({ tags: ['from'] })));
        const act = {
          merge: () => call('POST', `/tags/${from.id}/merge`, { into: into.id }),
          delete: () => call('DELETE', `/tags/${from.id}`),
          rename: () => call('PATCH', `/tags/${from.id}`, { name: 'renamed' }),
        }[what];
        const writes = notes.flatMap(({ id }, at) => [
          () => call('PATCH', `/notes/${id}`, { tag_ids: at % 2 ? [from.id] : [from.id, into.id] }),
          () => call('POST', '/notes/create', { content: 'x', tag_ids: [from.id] }),
          () => call('POST', '/notes/change', { ids: [id], tags: ['into', 'other'] }),
        ]);
        writes.splice(12, 0, () => act?.() ?? expect.fail());
        const answers = await Promise.all(writes.map((write) => write()));
        for (const { status, text } of answers) expect([200, 201, 204, 400], text).toContain(status);
        const known = new Map((await tags()).map(({ id, name }) => [id, name]));
        const after: Note[] = await ok('GET', '/notes/list?limit=100');
        for (const one of after)
          for (const { id, name } of one.tags) expect([id, name]).toEqual([id, known.get(id)]);
        const counted = (name: string) => after.filter((one) => names(one).includes(name)).length;
        for (const { name, note_count } of await tags())
          expect([name, note_count]).toEqual([name, counted(name)]);
        expect([...known.values()].includes('from')).toBe(false);
      },
    );
  });

  describe('changes, export and import', () => {
    test('changes tell of a tag, and of the notes whose tags change', async () => {
      const { next_cursor } = (await call('GET', '/changes')).body;
      const since = async () => {
        const all = await ok('GET', `/changes?since=${next_cursor}`);
        return all.map(({ type, action }: { type: string; action: string }) => `${type} ${action}`);
      };
      const [{ id = '' } = {}] = (await note({ tags: ['a'] })).tags;
      expect(await since()).toEqual(['tag created', 'note created']);
      await ok('PATCH', `/tags/${id}`, { name: 'b' });
      await ok('DELETE', `/tags/${id}`);
      expect((await since()).slice(2)).toEqual([
        'tag updated',
        'note updated',
        'note updated',
        'tag deleted',
      ]);
      expect(await ok('GET', `/changes?since=${next_cursor}&type=tag`)).toHaveLength(3);
    });

    async function zip(as: string) {
      const headers = { authorization: `Bearer ${as}` };
      return (await steno.app.inject({ url: '/api/v1/export', headers })).rawPayload;
    }
    const importInto = async (as: string, payload: Buffer) => {
      const headers = { authorization: `Bearer ${as}`, 'content-type': 'application/zip' };
      return (await steno.app.inject({ method: 'POST', url: '/api/v1/import', payload, headers })).json()
        .data;
    };

    test.each([
      ['tags: ["Ärger", "a, b"]', ['a, b', 'Ärger']],
      ['tags: [work, "home", \'x\']', ['home', 'work', 'x']],
      ['tags: work, #home', ['home', 'work']],
      ['tags:\r\n  - work\r\n  - "two words"\r\ntitle: T', ['two words', 'work']],
      ['Tags:\n- 2026\n- [nested]\n- ', ['2026', '[nested]']],
      ['tags: []', []],
      ['tags:\ntitle: T', []],
    ])('Markdown with %j brings them', async (front, expected) => {
      const file = await zipped({ 'a.md': `---\n${front}\n---\n\nwords` });
      expect(await importInto(key, file)).toMatchObject({ notes: 1 });
      expect((await ok('GET', '/notes/list')).map(names)).toEqual([expected]);
    });

    test('an exported note of Markdown names its tags in its front matter', async () => {
      const { id } = await note({ content: 'one', tags: ['Straße', 'Ärger "x"'] });
      const markdown = toMarkdown(await ok('GET', `/notes/${id}`), undefined);
      expect(markdown).toContain('\ntags: ["Straße","Ärger \\"x\\""]\n');
    });

    test('an import with more tags than a person may have is refused before anything is written', async () => {
      const lines = Array.from({ length: maxTagsPerOwner + 1 }, (_, at) =>
        JSON.stringify({ name: `t${at}`, created_at: '2026-01-01T00:00:00.000Z' }),
      );
      const payload = await zipped({ ...ours, 'data/tags.jsonl': lines.join('\n') });
      const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/zip' };
      const answer = await steno.app.inject({ method: 'POST', url: '/api/v1/import', payload, headers });
      expect([answer.statusCode, answer.json().error.code]).toEqual([400, 'limit_reached']);
      expect(await tags()).toEqual([]);
    });

    test('an export goes into another account with its tags, and once', async () => {
      await make('Unused');
      await note({ content: 'one', tags: ['Straße', 'Ärger'] });
      await note({ content: 'two', tags: ['straße'] });
      const other = (await steno.person()).key;
      await make('STRASSE', other);
      const file = await zip(key);
      expect(await importInto(other, file)).toMatchObject({ notes: 2, tags: 2, known: 1 });
      expect(await counts('', other)).toEqual(['STRASSE 2', 'Unused 0', 'Ärger 1']);
      const [two, one] = await ok('GET', '/notes/list', undefined, other);
      expect([names(one), names(two)].sort()).toEqual([['STRASSE'], ['STRASSE', 'Ärger']]);
      expect(await importInto(other, file)).toMatchObject({ notes: 0, tags: 0, known: 5 });
      expect(await counts()).toEqual(['Straße 2', 'Unused 0', 'Ärger 1']);
    });
  });
});
