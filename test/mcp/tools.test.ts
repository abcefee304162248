import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type StenoWithAssistants, startWithAssistants } from '../support/assistant.ts';
import { anyDatabase } from '../support/steno.ts';

const document = JSON.parse(readFileSync(join(import.meta.dirname, '../../openapi.json'), 'utf8'));

const unknownId = '0198c0de-0000-7000-8000-000000000000';

interface Operation {
  'x-mcp-tool'?: string;
  security: Record<string, string[]>[];
}

/** The tools that openapi.json says a key of this kind can have. */
const describedFor = (kind: 'personalKey' | 'workspaceKey') =>
  Object.values<Record<string, Operation>>(document.paths)
    .flatMap((path) => Object.values(path))
    .flatMap(({ 'x-mcp-tool': tool, security }) =>
      tool && security.some((way) => kind in way) ? [tool] : [],
    )
    .sort();

describe.each(anyDatabase)('an assistant on %s', (databaseKind) => {
  let steno: StenoWithAssistants;
  beforeAll(async () => {
    steno = await startWithAssistants({ databaseKind });
  });
  afterAll(() => steno.close());

  test.each(['legacy', 'auto'] as const)('works with notes and folders (%s revision)', async (revision) => {
    const { key } = await steno.person();
    const assistant = await steno.connect(key, revision);
    const read = async (path: string) => (await steno.call('GET', path, { key })).body;

    const folder = await assistant.use('create_folder', { name: 'Work' });
    expect((await assistant.use('list_folders')).body.data).toEqual([folder.body.data]);
    const created = await assistant.use('create_note', {
      content: 'The boat leaves at nine',
      folder_id: folder.body.data.id,
    });
    expect(created.isError).toBe(false);
    expect(JSON.parse(created.text)).toEqual(created.body);
    const { id } = created.body.data;
    expect((await assistant.use('get_note', { id })).body).toEqual(await read(`/notes/${id}`));
    expect(
      (await assistant.use('update_note', { id, title: 'Boat', folder_id: null })).body.data,
    ).toMatchObject({
      title: 'Boat',
      folder_id: null,
      content: 'The boat leaves at nine',
    });
    expect((await assistant.use('search_notes', { query: 'boat', limit: 3 })).body.data).toMatchObject([
      { id },
    ]);
    expect((await assistant.use('list_notes', { limit: 1, cursor: null })).body).toEqual(
      await read('/notes/list'),
    );
    expect((await assistant.use('get_note_transcript', { id })).body.error.code).toBe('no_transcript');
    expect((await assistant.use('delete_note', { id })).body).toEqual({ data: { deleted: true } });
    expect((await steno.call('GET', `/notes/${id}`, { key })).status).toBe(404);
  });

  test('that has read an older text gets the new one instead of overwriting it, and goes on from there', async () => {
    const { key } = await steno.person();
    const assistant = await steno.connect(key);
    const { id, revision } = (await assistant.use('create_note', { content: 'nine' })).body.data;
    await steno.call('PATCH', `/notes/${id}`, { key, body: { content: 'ten' } });
    const edit = { session: 'assistant', seq: 1 };
    const change = { id, content: 'nine, by boat', base_revision: revision, edit };
    const late = await assistant.use('update_note', change);
    expect([late.isError, late.body.error.code]).toEqual([true, 'note_version_conflict']);
    const { data: now } = late.body;
    expect(now).toMatchObject({ content: 'ten', revision: 2 });
    const again = { ...change, content: 'ten, by boat', base_revision: now.revision };
    const saved = await assistant.use('update_note', again);
    expect([saved.isError, saved.body.data]).toMatchObject([false, { revision: 3, edit }]);
    // An answer that was lost: the same call again is no conflict with itself.
    expect((await assistant.use('update_note', again)).body).toEqual(saved.body);
    const { data: versions } = (await steno.call('GET', `/notes/${id}/revisions`, { key })).body;
    expect(versions).toHaveLength(2);
  });

  test('pages through a list with the cursor it is given', async () => {
    const { key } = await steno.person();
    const assistant = await steno.connect(key);
    for (const content of ['one', 'two', 'three']) await assistant.use('create_note', { content });
    const first = await assistant.use('list_notes', { limit: 2 });
    expect(first.body).toMatchObject({ has_more: true, data: [{ content: 'three' }, { content: 'two' }] });
    const second = await assistant.use('list_notes', { limit: 2, cursor: first.body.next_cursor });
    expect(second.body).toMatchObject({ has_more: false, next_cursor: null, data: [{ content: 'one' }] });
  });

  test('of a team finds its spaces and writes into one of them', async () => {
    const { key, space } = await steno.team();
    const assistant = await steno.connect(key);
    expect((await assistant.use('list_spaces')).body.data).toMatchObject([{ id: space.id, name: 'General' }]);
    const created = await assistant.use('create_note', { content: 'For all', space_id: space.id });
    expect((await assistant.use('list_notes', { space_id: space.id })).body.data).toEqual([
      created.body.data,
    ]);
    expect((await assistant.use('list_notes')).body.error).toMatchObject({ code: 'validation_error' });
  });
});

describe('the list of tools', () => {
  let steno: StenoWithAssistants;
  beforeAll(async () => {
    steno = await startWithAssistants();
  });
  afterAll(() => steno.close());

  test('has every route that names a tool and accepts a personal key', async () => {
    const { key } = await steno.person();
    const names = await (await steno.connect(key)).toolNames();
    expect(names).toEqual(describedFor('personalKey'));
    expect(names).toContain('list_notes');
    expect(names).not.toContain('list_spaces');
  });

  test('has every route that names a tool and accepts a workspace key', async () => {
    const { key } = await steno.team();
    const names = await (await steno.connect(key)).toolNames();
    expect(names).toEqual(describedFor('workspaceKey'));
    expect(names).toContain('list_spaces');
  });

  test('leaves out what the scopes of the key do not allow', async () => {
    const { key } = await steno.person({ scopes: ['notes:read'] });
    expect(await (await steno.connect(key)).toolNames()).toEqual([
      'get_language_job',
      'get_note',
      'get_note_transcript',
      'list_actions',
      'list_folders',
      'list_note_revisions',
      'list_notes',
      'list_tags',
      'list_trash',
      'list_webhook_deliveries',
      'list_webhooks',
      'search_notes',
    ]);
  });

  test.each(['person', 'team'] as const)(
    'names only tools that their routes answer, for a %s',
    async (kind) => {
      const { key } = await steno[kind]();
      const assistant = await steno.connect(key);
      for (const name of await assistant.toolNames()) {
        const { isError, body } = await assistant.use(name, { id: unknownId });
        const code = isError ? body.error.code : 'none';
        expect(['none', 'validation_error', 'not_found'], `${name}: ${JSON.stringify(body)}`).toContain(code);
        expect(body.error?.message ?? '').not.toContain('nothing at this path');
      }
    },
  );

  test('is the one in the documentation', async () => {
    const guide = readFileSync(join(import.meta.dirname, '../../docs/mcp.md'), 'utf8');
    const missing = [...describedFor('personalKey'), ...describedFor('workspaceKey')].filter(
      (name) => !guide.includes(`\`${name}\``),
    );
    expect(missing).toEqual([]);
  });

  test("describes a tool by its route's own schemas", async () => {
    const { key } = await steno.person();
    const { tools } = await (await steno.connect(key)).client.listTools();
    const update = tools.find(({ name }) => name === 'update_note');
    expect(update?.description).toBe('Change a note; fields that you leave out stay the same');
    expect(Object.keys(update?.inputSchema.properties ?? {})).toEqual([
      'id',
      'title',
      'content',
      'enhanced_content',
      'folder_id',
      'tags',
      'tag_ids',
      'pinned',
      'space_id',
      'expected_updated_at',
      'base_revision',
      'edit',
      'field_updates',
    ]);
    expect(update?.inputSchema.required).toEqual(['id']);
    const list = tools.find(({ name }) => name === 'list_notes');
    expect(list?.inputSchema.properties?.limit).toMatchObject({ type: 'integer', minimum: 1, maximum: 100 });
    expect(list?.inputSchema.required).toBeUndefined();
    for (const { inputSchema } of tools) expect(inputSchema.type).toBe('object');
  });

  test('says which tools only read and which can destroy', async () => {
    const { key } = await steno.person();
    const { tools } = await (await steno.connect(key)).client.listTools();
    const hints = (wanted: string) => tools.find(({ name }) => name === wanted)?.annotations;
    expect(hints('search_notes')).toMatchObject({ readOnlyHint: true, destructiveHint: false });
    expect(hints('create_note')).toMatchObject({ readOnlyHint: false, destructiveHint: false });
    expect(hints('delete_note')).toMatchObject({ readOnlyHint: false, destructiveHint: true });
  });
});
