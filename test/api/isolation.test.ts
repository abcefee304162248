import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { operator } from '../../src/domain/principal.ts';
import { fill, type Operation, operations, sample } from '../support/operations.ts';
import { fixtures, type Owner, tickingMinutes, unknownId, upload, word } from '../support/owned.ts';
import { type Answer, anyDatabase, startSteno, type TestSteno } from '../support/steno.ts';

const withKey = operations.filter(
  ({ name, personal, workspace }) =>
    // Off without a language model; ask.test.ts tries the first with the ids of others, the second takes none.
    !['POST /api/v1/ask', 'POST /v1/chat/completions'].includes(name) &&
    (personal !== undefined || workspace !== undefined),
);
const membersOf = (route: Operation) =>
  [...route.queryNames, ...Object.keys(route.body?.properties ?? {})].filter((name) => name.endsWith('_id'));

describe.each(anyDatabase)('nobody reaches what is not theirs, on %s', (databaseKind) => {
  let steno: TestSteno;
  let owners: Owner[];

  beforeAll(async () => {
    const config = { webhookNetworks: ['127.0.0.1'] };
    // Nothing is delivered here.
    const webhookPollMs = 2 ** 31 - 1;
    steno = await startSteno({ databaseKind, clock: tickingMinutes(), config, webhookPollMs });
    owners = [
      await person('ada'),
      await person('bob'),
      await runner('root'),
      await team('red'),
      await team('blue'),
    ];
    for (const owner of owners) await makeAll(owner);
  });
  afterAll(() => steno.close());

  async function makeAll(owner: Owner): Promise<void> {
    for (const spaceId of owner.kind === 'personal' ? [undefined] : owner.spaces)
      for (const [segment, { make, members }] of Object.entries(fixtures)) {
        const id = await make(steno, owner, spaceId);
        if (id !== undefined)
          for (const at of [segment, ...members]) owner.ids[at] = [...(owner.ids[at] ?? []), id];
      }
  }

  async function person(name: string): Promise<Owner> {
    const { key } = await steno.person({ name });
    return { name, kind: 'personal', key, spaces: [], ids: {}, secret: `secretof${name}` };
  }

  /** An operator of the server: the right reaches no content. */
  async function runner(name: string): Promise<Owner> {
    const { user } = await steno.person({ name });
    await steno.users.setOperator(user.id, true);
    const { token } = await steno.signIn(user);
    expect((await steno.call('GET', '/me', { key: token })).body.data.operator).toBe(true);
    return { name, kind: 'personal', key: token, spaces: [], ids: {}, secret: `secretof${name}` };
  }

  async function team(name: string): Promise<Owner> {
    const { key, workspace, space } = await steno.team({ name });
    const draft = { name: `${word} ${name}`, description: `secretof${name}` };
    const second = await steno.spaces.create(operator, workspace.id, draft);
    const spaces = [space.id, second.id];
    return { name, kind: 'workspace', key, spaces, ids: { space_id: spaces }, secret: `secretof${name}` };
  }

  const mayCall = (owner: Owner, route: Operation) => route[owner.kind] !== undefined;
  /** A personal key reaches no space; a session, the spaces of its person. */
  const refusedWith = ({ kind, key }: Owner, inSpace: number) => {
    if (kind === 'workspace') return [inSpace];
    return key.startsWith('owk_') ? [400] : [400, inSpace];
  };
  const foreignTo = (owner: Owner) => owners.filter((other) => other !== owner);
  const ownId = (owner: Owner, name: string) => owner.ids[name]?.[0] ?? unknownId;

  /** The route called rightly in all but `replace`, which puts another's id in one place. */
  function send(
    owner: Owner,
    route: Operation,
    replace: { at?: string; member?: string; id: string },
  ): Promise<Answer> {
    const pathIds = route.pathIds.map((segment) =>
      segment === replace.at ? replace.id : ownId(owner, segment),
    );
    const given: Record<string, string> = {};
    const takesSpace = membersOf(route).includes('space_id') && owner.kind === 'workspace';
    if (takesSpace) given.space_id = ownId(owner, 'space_id');
    if (replace.member) given[replace.member] = replace.id;
    const inQuery = Object.entries(given).filter(([name]) => route.queryNames.includes(name));
    const inBody = Object.entries(given).filter(([name]) => !route.queryNames.includes(name));
    const body = route.body && {
      ...Object(sample(route.body, route.method === 'PATCH')),
      ...Object.fromEntries(inBody),
    };
    if (body && 'query' in body) body.query = word;
    if (body && 'name' in body) body.name = `new ${nextNumber++}`;
    const query = new URLSearchParams(inQuery).toString();
    const filled = fill(route.path, pathIds);
    const path = filled + (query && `${filled.includes('?') ? '&' : '?'}${query}`);
    if (route.pathIds.includes('uploads'))
      return steno.call(route.method, path, { key: owner.key, ...upload[route.method] });
    return steno.call(route.method, path, { key: owner.key, ...(body ? { body } : {}) });
  }
  let nextNumber = 0;

  function expectNothingOf(others: Owner[], answer: Answer): void {
    for (const { secret } of others) expect(answer.text).not.toContain(secret);
  }

  test.each(withKey.filter((route) => route.pathIds.length > 0))(
    '$name with the id of another',
    async (route) => {
      for (const segment of route.pathIds) {
        if (!fixtures[segment])
          expect.fail(
            `${route.name} takes the id of one of the ${segment}: say in \`fixtures\` of this file how to make one.`,
          );
        for (const owner of owners)
          for (const other of foreignTo(owner))
            for (const id of other.ids[segment] ?? []) {
              const answer = await send(owner, route, { at: segment, id });
              const expected = mayCall(owner, route) ? [404, 'not_found'] : [403, 'forbidden'];
              expect([owner.name, other.name, answer.status, answer.body?.error?.code]).toEqual([
                owner.name,
                other.name,
                ...expected,
              ]);
              expectNothingOf(foreignTo(owner), answer);
            }
      }
    },
  );

  test.each(withKey.filter((route) => membersOf(route).length > 0))(
    '$name naming the id of another',
    async (route) => {
      const known = new Set(['space_id', ...Object.values(fixtures).flatMap(({ members }) => members)]);
      for (const member of membersOf(route)) {
        if (!known.has(member))
          expect.fail(
            `${route.name} takes ${member}: say in \`fixtures\` of this file what makes such an id.`,
          );
        for (const owner of owners.filter((one) => mayCall(one, route)))
          for (const other of foreignTo(owner))
            for (const id of other.ids[member] ?? []) {
              const answer = await send(owner, route, { member, id });
              expectNothingOf(foreignTo(owner), answer);
              // A note stays in its space: there the field does nothing, and the sample's expected_updated_at is refused.
              const inSpace = route.method === 'PATCH' ? 409 : 404;
              if (member === 'space_id') expect(refusedWith(owner, inSpace)).toContain(answer.status);
              // An id of the client's own: the other's note with it is not found, and a new one is made.
              else if (member === 'client_note_id') expect(answer.status).not.toBe(200);
              else if (route.queryNames.includes(member)) expect(answer.body.data ?? []).toEqual([]);
              else expect([answer.status, answer.body?.error?.code]).toEqual([400, 'validation_error']);
            }
      }
    },
  );

  test.each(withKey.filter((route) => route.pathIds.length === 0))(
    '$name shows only what is yours',
    async (route) => {
      for (const owner of owners.filter((one) => mayCall(one, route)))
        for (const id of owner.kind === 'personal' ? [undefined] : owner.spaces) {
          const replace = id ? { member: 'space_id', id } : { id: unknownId };
          const answer = await send(
            owner,
            route,
            membersOf(route).includes('space_id') ? replace : { id: unknownId },
          );
          expect(answer.status).toBeLessThan(500);
          expectNothingOf(foreignTo(owner), answer);
        }
    },
  );

  test('each finds their own, and one space shows nothing of the next', async () => {
    for (const owner of owners)
      for (const [at, id] of (owner.kind === 'personal' ? [undefined] : owner.spaces).entries()) {
        const noteId = owner.ids.notes?.[at];
        const body = { query: owner.secret, ...(id ? { space_id: id } : {}) };
        const found = await steno.call('POST', '/notes/search', { key: owner.key, body });
        expect(found.body.data.map((note: { id: string }) => note.id)).toEqual([noteId]);
        const folders = await steno.call('GET', `/folders/list${id ? `?space_id=${id}` : ''}`, {
          key: owner.key,
        });
        expect(folders.body.data.map((folder: { id: string }) => folder.id)).toContain(
          owner.ids.folders?.[at],
        );
      }
  });

  test('a folder of another space of the same workspace is refused', async () => {
    const red = owners.find(({ name }) => name === 'red');
    const [space_id, folder_id] = [red?.spaces[0], red?.ids.folders?.[1]];
    const body = { content: 'x', space_id, folder_id };
    const created = await steno.call('POST', '/notes/create', { key: red?.key ?? '', body });
    expect([created.status, created.body.error.code]).toEqual([400, 'validation_error']);
    const path = `/notes/${red?.ids.notes?.[0]}`;
    const moved = await steno.call('PATCH', path, { key: red?.key ?? '', body: { folder_id } });
    expect([moved.status, moved.body.error.code]).toEqual([400, 'validation_error']);
  });

  test('an archived space is gone: from the list, by its id and by the ids in it', async () => {
    const green = await team('green');
    await makeAll(green);
    const archivedSpace = green.spaces[1] ?? expect.fail();
    const noteId = green.ids.notes?.[1] ?? expect.fail();
    await steno.spaces.archive(operator, {}, archivedSpace);
    const spaces = await steno.call('GET', '/spaces/list', { key: green.key });
    expect(spaces.body.data.map((space: { id: string }) => space.id)).toEqual([green.spaces[0]]);
    for (const route of withKey.filter(
      (one) => one.workspace !== undefined && !one.path.includes('/create'),
    )) {
      if (!membersOf(route).includes('space_id') && !route.pathIds.includes('notes')) continue;
      const inPath = route.pathIds.includes('notes');
      const answer = await send(
        green,
        route,
        inPath ? { at: 'notes', id: noteId } : { member: 'space_id', id: archivedSpace },
      );
      expect([route.name, answer.status]).toEqual([route.name, 404]);
    }
  });
});
