import {
  check,
  expect,
  expectAnswer,
  expectError,
  expectInvalid,
  expectSame,
  invalid,
  nobody,
  type Part,
  type Target,
} from './check.ts';
import { NotSeen } from './client.ts';
import { aFolder } from './folders.ts';
import { listOf } from './rules.ts';
import { dataOf, folder, foundNote, note, pageOf, space } from './shapes.ts';

const needs = ['the workspace key'] as const;

async function aSpace({ workspace }: Target): Promise<string> {
  const { body } = expectAnswer(await workspace.call('GET', '/spaces/list'), 200, dataOf(listOf(space)));
  if (body.data.length === 0) throw new NotSeen('the workspace has no space');
  return body.data[0].id;
}

async function createNote({ workspace, later }: Target, space_id: string, fields: object = {}) {
  const body = { content: 'Conformance', space_id, ...fields };
  const { data } = expectAnswer(
    await workspace.call('POST', '/notes/create', { body }),
    201,
    dataOf(note),
  ).body;
  later(() => workspace.call('DELETE', `/notes/${data.id}`));
  return data;
}

export const workspaceKeys: Part = {
  name: 'Workspace keys',
  checks: [
    check('GET /spaces/list: the spaces of the workspace', needs, async (target) => {
      await aSpace(target);
    }),
    check('GET /spaces/list with a personal key: 403', [], async ({ api }) => {
      expectError(await api.call('GET', '/spaces/list'), 403, 'forbidden');
    }),
    check('It needs space_id on the notes and folders endpoints', needs, async ({ workspace }) => {
      for (const path of ['/notes/list', '/folders/list']) invalid(await workspace.call('GET', path));
      await expectInvalid(workspace, 'POST', '/notes/create', [{ content: 'x' }]);
      await expectInvalid(workspace, 'POST', '/notes/search', [{ query: 'x' }]);
      await expectInvalid(workspace, 'POST', '/folders/create', [{ name: 'Never made' }]);
    }),
    check('A space of another workspace is 404', needs, async ({ workspace }) => {
      for (const path of ['/notes/list', '/folders/list'])
        expectError(await workspace.call('GET', `${path}?space_id=${nobody}`), 404, 'not_found');
      for (const [path, body] of [
        ['/notes/create', { content: 'x', space_id: nobody }],
        ['/notes/search', { query: 'x', space_id: nobody }],
        ['/folders/create', { name: 'Never made', space_id: nobody }],
      ] as const)
        expectError(await workspace.call('POST', path, { body }), 404, 'not_found');
    }),
    check('Notes of a space: created, listed, found, changed and deleted', needs, async (target) => {
      const { workspace } = target;
      const space_id = await aSpace(target);
      const word = `timbuktu${Date.now()}`;
      const made = await createNote(target, space_id, { title: word });
      const listed = await workspace.call('GET', `/notes/list?space_id=${space_id}&limit=1`);
      expectSame(expectAnswer(listed, 200, pageOf(note)).body.data[0]?.id, made.id, 'the newest note');
      const found = await workspace.call('POST', '/notes/search', { body: { query: word, space_id } });
      expectSame(expectAnswer(found, 200, dataOf(listOf(foundNote))).body.data[0]?.id, made.id, 'found note');
      expectAnswer(await workspace.call('GET', `/notes/${made.id}`), 200);
      const changed = await workspace.call('PATCH', `/notes/${made.id}`, { body: { title: 'After' } });
      expectSame(expectAnswer(changed, 200, dataOf(note)).body.data.title, 'After', 'title');
      expectAnswer(await workspace.call('DELETE', `/notes/${made.id}`), 204);
    }),
    check(
      'Personal keys never see notes of a space',
      [...needs, 'notes:read', 'notes:write'],
      async (target) => {
        const { id } = await createNote(target, await aSpace(target));
        for (const method of ['GET', 'DELETE'])
          expectError(await target.api.call(method, `/notes/${id}`), 404, 'not_found');
        const { body } = await target.api.call('GET', '/notes/list?limit=100');
        expect(!body.data.some((listed: { id: string }) => listed.id === id), 'the note is listed');
      },
    ),
    check(
      'A workspace key never sees personal notes',
      [...needs, 'notes:read', 'notes:write'],
      async (target) => {
        const { api, workspace, later } = target;
        const { data } = (await api.call('POST', '/notes/create', { body: { content: 'Mine' } })).body;
        later(() => api.call('DELETE', `/notes/${data.id}`));
        expectError(await workspace.call('GET', `/notes/${data.id}`), 404, 'not_found');
      },
    ),
    check('Folders of a space carry its space_id', needs, async (target) => {
      const space_id = await aSpace(target);
      const made = await aFolder(target.workspace, space_id);
      const { body } = await target.workspace.call('GET', `/folders/list?space_id=${space_id}`);
      const fault = dataOf(listOf(folder))(body);
      expect(fault === undefined, `${fault}`);
      const found = body.data.find(({ id }: { id: string }) => id === made.id);
      expectSame(found?.space_id, space_id, 'space_id of the folder');
    }),
  ],
  unseen: [
    { sentence: 'archived spaces are left out', why: 'archiving is workspace administration, not /api/v1' },
    { sentence: 'Workspace administration', why: 'not part of /api/v1' },
  ],
};
