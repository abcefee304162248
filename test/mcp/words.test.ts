import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type StenoWithAssistants, startWithAssistants } from '../support/assistant.ts';

describe('an assistant that keeps words', () => {
  let steno: StenoWithAssistants;
  beforeAll(async () => {
    steno = await startWithAssistants();
  });
  afterAll(() => steno.close());

  test('adds, respells, lists and deletes dictionary words', async () => {
    const { key } = await steno.person();
    const assistant = await steno.connect(key);
    const added = await assistant.use('add_dictionary_words', { words: ['Ada', 'Bob'] });
    const [ada, bob] = added.body.data;
    expect([ada.word, bob.word]).toEqual(['Ada', 'Bob']);
    expect((await assistant.use('update_dictionary_word', { id: ada.id, word: 'Ida' })).body.data.word).toBe(
      'Ida',
    );
    expect((await assistant.use('update_dictionary_word', { id: ada.id, word: 'Bob' })).body.error.code).toBe(
      'conflict',
    );
    expect((await assistant.use('delete_dictionary_word', { id: ada.id })).body).toEqual({
      data: { deleted: true },
    });
    expect((await assistant.use('list_dictionary', { limit: 10 })).body.data).toEqual([bob]);
    expect((await assistant.use('add_dictionary_words')).body.error.code).toBe('validation_error');
  });

  test('makes, changes, lists and deletes snippets', async () => {
    const { key } = await steno.person();
    const assistant = await steno.connect(key);
    const made = await assistant.use('create_snippet', { trigger: 'brb', replacement: 'be right back' });
    const { id } = made.body.data;
    const changed = await assistant.use('update_snippet', { id, trigger: 'bb' });
    expect(changed.body.data).toMatchObject({ id, trigger: 'bb', replacement: 'be right back' });
    expect((await assistant.use('update_snippet', { id })).body.error.code).toBe('validation_error');
    expect((await assistant.use('list_snippets')).body.data).toEqual([changed.body.data]);
    expect((await assistant.use('delete_snippet', { id })).body).toEqual({ data: { deleted: true } });
    expect((await assistant.use('list_snippets')).body.data).toEqual([]);
  });
});
