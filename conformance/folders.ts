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
} from './check.ts';
import type { Client } from './client.ts';
import { listOf } from './rules.ts';
import { dataOf, folder } from './shapes.ts';

/** Folders cannot be deleted through the API, so all runs share one. */
const folderName = 'Conformance';

interface Folder {
  id: string;
  name: string;
  sort_order: number;
  created_at: string;
}

/** The one folder of these checks, made by the first run. */
export async function aFolder(client: Client, space_id?: string): Promise<Folder> {
  const made = await client.call('POST', '/folders/create', { body: { name: folderName, space_id } });
  if (made.status === 201) return expectAnswer(made, 201, dataOf(folder)).body.data;
  expectError(made, 409, 'conflict');
  const query = space_id === undefined ? '' : `?space_id=${space_id}`;
  const { body } = expectAnswer(await client.call('GET', `/folders/list${query}`), 200);
  const found = body.data.find(({ name }: Folder) => name.trim().toLowerCase() === folderName.toLowerCase());
  expect(found !== undefined, 'the folder that conflicts is not in the list');
  return found;
}

const scopes = ['notes:read', 'notes:write'] as const;

export const folders: Part = {
  name: 'Folders',
  checks: [
    check('GET /folders/list: all of them, by sort_order then created_at', scopes, async ({ api }) => {
      await aFolder(api);
      const { body } = expectAnswer(await api.call('GET', '/folders/list'), 200, dataOf(listOf(folder)));
      const sorted = body.data.toSorted(
        (one: Folder, other: Folder) =>
          one.sort_order - other.sort_order || (one.created_at < other.created_at ? -1 : 1),
      );
      expectSame(body.data, sorted, 'the order');
      for (const { space_id } of body.data) expectSame(space_id, null, 'space_id of a personal folder');
    }),
    check(
      'A folder name must be unique, trimmed and case-insensitively: 409 conflict',
      scopes,
      async ({ api }) => {
        const { name } = await aFolder(api);
        for (const same of [name, `  ${name.toUpperCase()} `])
          expectError(await api.call('POST', '/folders/create', { body: { name: same } }), 409, 'conflict');
      },
    ),
    check('name 1-100 after trimming, sort_order integer', scopes, async ({ api }) => {
      const names = ['', '   ', 'x'.repeat(101), 7, null].map((name) => ({ name }));
      const orders = [1.5, 'first', null].map((sort_order) => ({ name: 'Never made', sort_order }));
      await expectInvalid(api, 'POST', '/folders/create', [{}, ...names, ...orders]);
    }),
    check('Personal keys must not send space_id to folders (400)', scopes, async ({ api }) => {
      invalid(await api.call('GET', `/folders/list?space_id=${nobody}`));
      await expectInvalid(api, 'POST', '/folders/create', [{ name: 'Never made', space_id: nobody }]);
    }),
  ],
  unseen: [
    {
      sentence: 'More than 50 folders: 400 limit_reached',
      why: 'folders cannot be deleted through the API, and 50 would be left behind',
    },
    { sentence: 'sort_order default: last + 1', why: 'every look would leave a folder behind' },
  ],
};
