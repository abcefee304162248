import { randomUUID } from 'node:crypto';
import {
  check,
  expectAnswer,
  expectError,
  expectInvalid,
  expectLimits,
  expectPages,
  expectSame,
  nobody,
  type Part,
  type Target,
} from './check.ts';
import { listOf } from './rules.ts';
import { dataOf, dictionaryEntry, pageOf, snippet } from './shapes.ts';

const newWord = () => `conform-${randomUUID()}`;

async function addWords({ api, later }: Target, body: object) {
  const answer = await api.call('POST', '/dictionary/create', { body });
  const entries = expectAnswer(answer, 201, dataOf(listOf(dictionaryEntry))).body.data;
  for (const { id } of entries) later(() => api.call('DELETE', `/dictionary/${id}`));
  return entries;
}

async function addSnippet({ api, later }: Target, trigger = newWord()) {
  const body = { trigger, replacement: 'Kind regards' };
  const { data } = expectAnswer(
    await api.call('POST', '/snippets/create', { body }),
    201,
    dataOf(snippet),
  ).body;
  later(() => api.call('DELETE', `/snippets/${data.id}`));
  return data;
}

const dictionaryScopes = ['dictionary:read', 'dictionary:write'] as const;
const snippetScopes = ['snippets:read', 'snippets:write'] as const;

export const dictionary: Part = {
  name: 'Dictionary',
  checks: [
    check(
      'POST /dictionary/create: 201, an array of entries in the order asked',
      dictionaryScopes,
      async (target) => {
        const words = [newWord(), newWord(), newWord()];
        const entries = await addWords(target, { words });
        expectSame(
          entries.map(({ word }: { word: string }) => word),
          words,
          'words',
        );
        expectSame(entries[0].source, 'manual', 'source');
      },
    ),
    check('A word that exists already is returned, not duplicated', dictionaryScopes, async (target) => {
      const word = newWord();
      const [first] = await addWords(target, { words: [word] });
      const again = await addWords(target, { words: [` ${word.toUpperCase()} `] });
      expectSame([again.length, again[0].id], [1, first.id], 'number and id');
    }),
    check('Also accepts { word }', dictionaryScopes, async (target) => {
      expectSame((await addWords(target, { word: newWord() })).length, 1, 'number of entries');
    }),
    check('1-200 items of 1-100 characters after trimming', dictionaryScopes, async (target) => {
      const many = Array.from({ length: 201 }, newWord);
      const wrong = [[], [''], ['  '], ['x'.repeat(101)], [7], many].map((words) => ({ words }));
      await expectInvalid(target.api, 'POST', '/dictionary/create', [{}, { words: 'x' }, ...wrong]);
      const longest = newWord().padEnd(100, 'x');
      expectSame((await addWords(target, { words: [longest] }))[0].word, longest, 'a word of 100 characters');
    }),
    check('PATCH /dictionary/{id}: { data: Dictionary entry }', dictionaryScopes, async (target) => {
      const [entry] = await addWords(target, { words: [newWord()] });
      const word = newWord();
      const answer = await target.api.call('PATCH', `/dictionary/${entry.id}`, { body: { word } });
      const { data } = expectAnswer(answer, 200, dataOf(dictionaryEntry)).body;
      expectSame([data.id, data.word], [entry.id, word], 'id and word');
    }),
    check('{ word: string }, required, length 1 to 100', dictionaryScopes, async (target) => {
      const [entry] = await addWords(target, { words: [newWord()] });
      const wrong = ['', 'x'.repeat(101), 7, null].map((word) => ({ word }));
      await expectInvalid(target.api, 'PATCH', `/dictionary/${entry.id}`, [{}, ...wrong]);
    }),
    check(
      '409 conflict when another entry has that word; 404 when there is no such entry',
      dictionaryScopes,
      async (target) => {
        const { api } = target;
        const [one, other] = await addWords(target, { words: [newWord(), newWord()] });
        const body = { word: other.word.toUpperCase() };
        expectError(await api.call('PATCH', `/dictionary/${one.id}`, { body }), 409, 'conflict');
        expectError(
          await api.call('PATCH', `/dictionary/${nobody}`, { body: { word: 'x' } }),
          404,
          'not_found',
        );
      },
    ),
    check('DELETE /dictionary/{id}: 204; again: 404', dictionaryScopes, async (target) => {
      const [{ id }] = await addWords(target, { words: [newWord()] });
      expectAnswer(await target.api.call('DELETE', `/dictionary/${id}`), 204);
      expectError(await target.api.call('DELETE', `/dictionary/${id}`), 404, 'not_found');
    }),
    check('GET /dictionary/list: limit 1-500 default 200; cursor', dictionaryScopes, async (target) => {
      await addWords(target, { words: [newWord(), newWord()] });
      expectAnswer(await target.api.call('GET', '/dictionary/list'), 200, pageOf(dictionaryEntry));
      await expectPages(target.api, '/dictionary/list?', 500);
      await expectLimits(target.api, '/dictionary/list?', 500, 200);
    }),
  ],
  unseen: [
    {
      sentence: '403 forbidden for managed users whose organization has turned off cloud backup',
      why: 'needs an account that is managed so',
    },
  ],
};

export const snippets: Part = {
  name: 'Snippets',
  checks: [
    check('POST /snippets/create: 201 and the snippet', snippetScopes, async (target) => {
      const trigger = newWord();
      const made = await addSnippet(target, trigger);
      expectSame([made.trigger, made.replacement], [trigger, 'Kind regards'], 'the snippet');
    }),
    check('trigger 1-100, replacement 1-5000', snippetScopes, async ({ api }) => {
      const triggers = ['', 'x'.repeat(101), 7].map((trigger) => ({ trigger, replacement: 'x' }));
      const replacements = ['', 'x'.repeat(5001), null].map((replacement) => ({
        trigger: newWord(),
        replacement,
      }));
      await expectInvalid(api, 'POST', '/snippets/create', [
        {},
        { trigger: 'x' },
        ...triggers,
        ...replacements,
      ]);
    }),
    check('Same trigger (trimmed, case-insensitive): 409', snippetScopes, async (target) => {
      const { api } = target;
      const [one, other] = [await addSnippet(target), await addSnippet(target)];
      const body = { trigger: ` ${one.trigger.toUpperCase()} `, replacement: 'x' };
      expectError(await api.call('POST', '/snippets/create', { body }), 409, 'conflict');
      const taken = { trigger: one.trigger };
      expectError(await api.call('PATCH', `/snippets/${other.id}`, { body: taken }), 409, 'conflict');
    }),
    check('PATCH /snippets/{id}: trigger and/or replacement, at least one', snippetScopes, async (target) => {
      const { api } = target;
      const { id, trigger } = await addSnippet(target);
      const answer = await api.call('PATCH', `/snippets/${id}`, { body: { replacement: 'New' } });
      const { data } = expectAnswer(answer, 200, dataOf(snippet)).body;
      expectSame([data.trigger, data.replacement], [trigger, 'New'], 'the snippet');
      const renamed = await api.call('PATCH', `/snippets/${id}`, { body: { trigger: newWord() } });
      expectAnswer(renamed, 200, dataOf(snippet));
      await expectInvalid(api, 'PATCH', `/snippets/${id}`, [{}, { trigger: '' }, { replacement: 7 }]);
      expectError(
        await api.call('PATCH', `/snippets/${nobody}`, { body: { trigger: 'x' } }),
        404,
        'not_found',
      );
    }),
    check('DELETE /snippets/{id}: 204; again: 404', snippetScopes, async (target) => {
      const { id } = await addSnippet(target);
      expectAnswer(await target.api.call('DELETE', `/snippets/${id}`), 204);
      expectError(await target.api.call('DELETE', `/snippets/${id}`), 404, 'not_found');
    }),
    check('GET /snippets/list: { data, has_more, next_cursor }', snippetScopes, async (target) => {
      await addSnippet(target);
      await addSnippet(target);
      expectAnswer(await target.api.call('GET', '/snippets/list'), 200, pageOf(snippet));
      await expectPages(target.api, '/snippets/list?', 500);
    }),
    check('limit 1 to 500, default 200', snippetScopes, async ({ api }) => {
      await expectLimits(api, '/snippets/list?', 500, 200);
    }),
  ],
  unseen: [],
};
