import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { operator } from '../../src/domain/principal.ts';
import { type StenoWithAssistants, startWithAssistants } from '../support/assistant.ts';

const dictionaryTools = [
  'list_dictionary',
  'add_dictionary_words',
  'update_dictionary_word',
  'delete_dictionary_word',
];
const snippetTools = ['list_snippets', 'create_snippet', 'update_snippet', 'delete_snippet'];

describe('an assistant', () => {
  let steno: StenoWithAssistants;
  beforeAll(async () => {
    steno = await startWithAssistants();
  });
  afterAll(() => steno.close());

  test('keeps a dictionary', async () => {
    const assistant = await steno.connect((await steno.person()).key);
    const added = await assistant.use('add_dictionary_words', { words: ['Steno', 'STENO', 'Zürich'] });
    expect(added.body.data).toMatchObject([{ word: 'Steno' }, { word: 'Steno' }, { word: 'Zürich' }]);
    const id = added.body.data[2].id;
    expect((await assistant.use('update_dictionary_word', { id, word: 'steno' })).body.error.code).toBe(
      'conflict',
    );
    expect((await assistant.use('update_dictionary_word', { id, word: 'Zug' })).isError).toBe(false);
    expect((await assistant.use('list_dictionary', { limit: 1 })).body).toMatchObject({
      data: [{ id, word: 'Zug' }],
      has_more: true,
    });
    expect((await assistant.use('delete_dictionary_word', { id })).isError).toBe(false);
    expect((await assistant.use('list_dictionary')).body.data).toMatchObject([{ word: 'Steno' }]);
  });

  test('keeps snippets', async () => {
    const assistant = await steno.connect((await steno.person()).key);
    const created = await assistant.use('create_snippet', { trigger: 'sig', replacement: 'Ada' });
    const { id } = created.body.data;
    expect((await assistant.use('update_snippet', { id })).body.error.code).toBe('validation_error');
    await assistant.use('update_snippet', { id, replacement: 'Ada L.' });
    expect((await assistant.use('list_snippets')).body.data).toMatchObject([{ id, replacement: 'Ada L.' }]);
    await assistant.use('delete_snippet', { id });
    expect((await assistant.use('list_snippets')).body.data).toEqual([]);
  });

  test('is not offered, and refused, what the policy of a workspace closes', async () => {
    const { user, key } = await steno.person();
    const workspace = await steno.workspaces.create({ userId: user.id }, { name: 'Org', plan: 'business' });
    const assistant = await steno.connect(key);
    expect(await assistant.toolNames()).toEqual(
      expect.arrayContaining([...dictionaryTools, ...snippetTools]),
    );
    await steno.members.update(operator, workspace.id, user.id, { managed: true });
    await steno.policies.update(operator, workspace.id, { block_cloud_backup: true });
    const offered = await assistant.toolNames();
    expect(offered.filter((name) => [...dictionaryTools, ...snippetTools].includes(name))).toEqual([
      'list_dictionary',
      'list_snippets',
    ]);
    const refused = await assistant.use('add_dictionary_words', { words: ['x'] });
    expect(refused.body.error).toMatchObject({ code: 'forbidden' });
  });
});
