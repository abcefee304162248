import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { operator } from '../../src/domain/principal.ts';
import { anyDatabase, startSteno, type TestSteno } from '../support/steno.ts';

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const unknownId = '0198c0de-0000-7000-8000-000000000000';

describe.each(anyDatabase)('folders on %s', (databaseKind) => {
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

  const post = (body: unknown) => steno.call('POST', '/folders/create', { key, body });
  const list = async (query = '') =>
    (await steno.call('GET', `/folders/list${query}`, { key })).body.data as {
      name: string;
      sort_order: number;
    }[];

  test('a new folder has the defaults and stands in the list', async () => {
    const { status, body } = await post({ name: '  Work ' });
    expect(status).toBe(201);
    expect(body.data).toEqual({
      id: expect.stringMatching(uuid),
      name: 'Work',
      sort_order: 0,
      is_default: false,
      space_id: null,
      created_at: new Date(now).toISOString(),
      updated_at: new Date(now).toISOString(),
    });
    expect(await list()).toEqual([body.data]);
  });

  test.each<[string, unknown, string]>([
    ['no name', {}, 'name'],
    ['an empty name', { name: '' }, 'name'],
    ['a name of white space', { name: ' \t\u00a0\n' }, 'name'],
    ['a name of 101 characters', { name: 'x'.repeat(101) }, 'name'],
    ['a number as name', { name: 7 }, 'name'],
    ['null as name', { name: null }, 'name'],
    ['half a place', { name: 'x', sort_order: 1.5 }, 'sort_order'],
    ['a place in words', { name: 'x', sort_order: '1' }, 'sort_order'],
    ['a place beyond 32 bits', { name: 'x', sort_order: 2 ** 31 }, 'sort_order'],
    ['a space with a personal key', { name: 'x', space_id: unknownId }, 'space_id'],
  ])('refuses %s and names the member', async (_name, body, member) => {
    const answer = await post(body);
    expect([answer.status, answer.body.error.code]).toEqual([400, 'validation_error']);
    expect(answer.body.error.message).toContain(member);
    expect(await list()).toEqual([]);
  });

  test.each([
    ['the same name', 'Work', 'Work'],
    ['other case', 'Work', 'WORK'],
    ['white space around it', 'Work', '\t work  '],
    ['another way to write the same letters', 'Caf\u00e9', 'cafe\u0301'],
    ['wide letters', 'Work', 'Ｗｏｒｋ'],
  ])('refuses %s as a conflict', async (_name, first, second) => {
    expect((await post({ name: first })).status).toBe(201);
    const answer = await post({ name: second });
    expect([answer.status, answer.body.error.code]).toEqual([409, 'conflict']);
    expect(await list()).toHaveLength(1);
  });

  test.each([
    ['Work', 'Works'],
    ['a b', 'ab'],
    ['Cafe', 'Café'],
  ])('%s and %s are two names', async (first, second) => {
    expect([(await post({ name: first })).status, (await post({ name: second })).status]).toEqual([201, 201]);
  });

  test('names of 100 characters are fine after trimming, whatever the characters', async () => {
    for (const letter of ['x', 'é', '語', '😀'])
      expect((await post({ name: `  ${letter.repeat(100)}  ` })).status).toBe(201);
  });

  test('the same name may stand with another owner and in each space', async () => {
    const team = await steno.team();
    const second = await steno.spaces.create(operator, team.workspace.id, { name: 'Two' });
    expect((await post({ name: 'Work' })).status).toBe(201);
    for (const space_id of [team.space.id, second.id]) {
      const options = { key: team.key, body: { name: 'Work', space_id } };
      const created = await steno.call('POST', '/folders/create', options);
      expect([created.status, created.body.data.space_id]).toEqual([201, space_id]);
      expect((await steno.call('POST', '/folders/create', options)).body.error.code).toBe('conflict');
    }
  });

  test('a folder without a place goes last; the list is by place, then age', async () => {
    const drafts: [string, number | undefined, number][] = [
      ['a', -5, -5],
      ['b', undefined, -4],
      ['c', 10, 10],
      ['d', undefined, 11],
      ['e', 10, 10],
      ['f', 0, 0],
      ['g', undefined, 12],
      ['h', 2 ** 31 - 1, 2 ** 31 - 1],
      ['i', undefined, 2 ** 31 - 1],
    ];
    for (const [name, sort_order, expected] of drafts) {
      now += 1;
      expect((await post({ name, sort_order })).body.data.sort_order).toBe(expected);
    }
    expect((await list()).map(({ name }) => name).join('')).toBe('abfcedghi');
  });

  test('the fifty-first folder is refused, also when sixty are made at once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, index) => post({ name: `Folder ${index}` })),
    );
    const made = answers.filter(({ status }) => status === 201);
    const refused = answers.filter(({ status }) => status !== 201);
    expect([made.length, refused.length]).toEqual([50, 10]);
    for (const { status, body } of refused) expect([status, body.error.code]).toEqual([400, 'limit_reached']);
    const folders = await list();
    expect(folders.map(({ sort_order }) => sort_order)).toEqual(
      Array.from({ length: 50 }, (_, index) => index),
    );
  });

  test('of ten equal names at once one is made', async () => {
    const names = ['Work', 'work', ' WORK', 'Work ', 'wOrk', 'Work', 'work', 'WORK', 'Work', 'woRk'];
    const answers = await Promise.all(names.map((name) => post({ name })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(9).fill(409)]);
  });

  test('a note can be made in a folder, listed by it and moved', async () => {
    const [{ data: one }, { data: two }] = [
      (await post({ name: 'One' })).body,
      (await post({ name: 'Two' })).body,
    ];
    const body = { content: 'x', folder_id: one.id };
    const note = (await steno.call('POST', '/notes/create', { key, body })).body.data;
    const inFolder = async (id: string) =>
      (await steno.call('GET', `/notes/list?folder_id=${id}`, { key })).body.data.map(
        (item: { id: string }) => item.id,
      );
    expect([await inFolder(one.id.toUpperCase()), await inFolder(two.id)]).toEqual([[note.id], []]);
    await steno.call('PATCH', `/notes/${note.id}`, { key, body: { folder_id: two.id } });
    expect([await inFolder(one.id), await inFolder(two.id)]).toEqual([[], [note.id]]);
    expect((await steno.call('GET', '/notes/list?folder_id=inbox', { key })).status).toBe(400);
  });
});
