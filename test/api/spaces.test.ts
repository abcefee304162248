import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { personalKeysOf, workspaceKeysOf } from '../../src/domain/api-key.ts';
import { operator } from '../../src/domain/principal.ts';
import { anyDatabase, startSteno, type TestSteno } from '../support/steno.ts';

const unknownId = '0198c0de-0000-7000-8000-000000000000';

/** The calls that work on one space, with the space put in by the test. */
const spaceCalls = [
  ['GET', '/notes/list', 200],
  ['POST', '/notes/create', 201],
  ['POST', '/notes/search', 200],
  ['GET', '/folders/list', 200],
  ['POST', '/folders/create', 201],
] as const;

describe.each(anyDatabase)('spaces on %s', (databaseKind) => {
  let steno: TestSteno;
  let team: Awaited<ReturnType<TestSteno['team']>>;
  beforeAll(async () => {
    steno = await startSteno({ databaseKind });
    team = await steno.team();
  });
  afterAll(() => steno.close());

  function call(method: string, path: string, key: string, spaceId: unknown) {
    if (method === 'GET')
      return steno.call(method, path + (spaceId === undefined ? '' : `?space_id=${spaceId}`), { key });
    const name = `Folder ${Math.random()}`;
    return steno.call(method, path, { key, body: { content: 'x', query: 'x', name, space_id: spaceId } });
  }

  test('the list has every space of the workspace but the archived ones, oldest first', async () => {
    const other = await steno.team({ name: 'Other' });
    const make = (name: string, more: object = {}) =>
      steno.spaces.create(operator, other.workspace.id, { name, description: null, emoji: null, ...more });
    const second = await make('Ärzte & Büro', { description: 'All about it', emoji: '🩺' });
    const third = await make('Ärzte & Büro');
    const archived = await make('Old');
    await steno.spaces.archive(operator, {}, archived.id);
    const { status, body } = await steno.call('GET', '/spaces/list', { key: other.key });
    expect(status).toBe(200);
    expect(body).toEqual({ data: [other.space, second, third], has_more: false, next_cursor: null });
    expect(body.data.map((space: { slug: string }) => space.slug)).toEqual([
      'general',
      'arzte-buro',
      'arzte-buro-2',
    ]);
  });

  test.each(['workspace:notes:read', 'workspace:folders:write', 'workspace:transcriptions:read'])(
    'a workspace key with only %s may list spaces',
    async (scope) => {
      const { key, space } = await steno.team({ scopes: [scope] });
      expect((await steno.call('GET', '/spaces/list', { key })).body.data).toEqual([space]);
    },
  );

  test.each(spaceCalls)(
    '%s %s takes the space of a workspace key, also in capitals',
    async (method, path, status) => {
      expect((await call(method, path, team.key, team.space.id)).status).toBe(status);
      expect((await call(method, path, team.key, team.space.id.toUpperCase())).status).toBe(status);
    },
  );

  test.each(spaceCalls)(
    '%s %s needs a space with a workspace key and refuses one with a personal key',
    async (method, path) => {
      const { key } = await steno.person();
      const answers: [string, unknown, number, string][] = [
        [team.key, undefined, 400, 'validation_error'],
        [team.key, 'general', 400, 'validation_error'],
        [team.key, '', 400, 'validation_error'],
        [team.key, unknownId, 404, 'not_found'],
        [key, team.space.id, 400, 'validation_error'],
        [key, unknownId, 400, 'validation_error'],
      ];
      for (const [caller, spaceId, status, code] of answers) {
        const answer = await call(method, path, caller, spaceId);
        expect([spaceId, answer.status, answer.body.error?.code]).toEqual([spaceId, status, code]);
        if (status === 400) expect(answer.body.error.message).toContain('space_id');
      }
    },
  );

  test('a note of a space is read, changed and deleted by any key of the workspace, and shows no space_id', async () => {
    const body = { content: 'shared', space_id: team.space.id };
    const note = (await steno.call('POST', '/notes/create', { key: team.key, body })).body.data;
    expect(note).not.toHaveProperty('space_id');
    expect(note.user_id).toBe(team.user.id);
    const colleague = await steno.keys.issue(operator, workspaceKeysOf(team.workspace.id), {
      name: 'second',
      scopes: ['workspace:*'],
      user_id: team.user.id,
    });
    const { key } = colleague;
    expect((await steno.call('GET', `/notes/${note.id}`, { key })).body.data.content).toBe('shared');
    const moved = { title: 'New', space_id: unknownId };
    expect((await steno.call('PATCH', `/notes/${note.id}`, { key, body: moved })).body.data.title).toBe(
      'New',
    );
    const listed = await steno.call('GET', `/notes/list?space_id=${team.space.id}`, { key });
    expect(listed.body.data.map((item: { id: string }) => item.id)).toContain(note.id);
    expect((await steno.call('DELETE', `/notes/${note.id}`, { key })).status).toBe(204);
  });

  test('the maker of a workspace key does not see its notes with a personal key', async () => {
    const { key } = await steno.keys.issue(operator, personalKeysOf(team.user.id), {
      name: 'own',
      scopes: ['notes:read', 'notes:write'],
    });
    const body = { content: 'shared', space_id: team.space.id };
    const note = (await steno.call('POST', '/notes/create', { key: team.key, body })).body.data;
    expect((await steno.call('GET', `/notes/${note.id}`, { key })).status).toBe(404);
    expect((await steno.call('GET', '/notes/list', { key })).body.data).toEqual([]);
    expect((await steno.call('POST', '/notes/search', { key, body: { query: 'shared' } })).body.data).toEqual(
      [],
    );
  });
});
