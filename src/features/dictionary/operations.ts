import { z } from 'zod';
import { maxBulkRows } from '../../domain/bulk.ts';
import { conflict, notFound } from '../../domain/errors.ts';
import { authorize } from '../../kernel/authorized.ts';
import { deleteMany, ofRows } from '../../kernel/bulk.ts';
import { command, keepAnswer, list } from '../../kernel/operation.ts';
import { idInput } from '../../kernel/schemas.ts';
import * as queries from './queries.ts';
import { dictionaryEntry, newWords, word } from './schema.ts';

const read = { credential: 'key', personal: 'dictionary:read' } as const;
const write = { credential: 'key', personal: 'dictionary:write', policy: 'cloud backup' } as const;

/** The caller's own word. */
const own = authorize('Dictionary entry', ({ db, who }, id) => queries.find(db, who.userId, id));

export const listDictionary = list({
  http: 'GET /api/v1/dictionary/list',
  tool: 'list_dictionary',
  access: read,
  summary: 'List dictionary words, newest first',
  items: dictionaryEntry,
  list: 'dictionary',
  limit: [500, 200],
  run: ({ db, who }, { page }) => queries.page(db, who.userId, page),
});

export const addDictionaryWords = command({
  http: 'POST /api/v1/dictionary/create',
  tool: 'add_dictionary_words',
  access: write,
  summary: 'Add words; a word that is already there is returned unchanged',
  body: newWords,
  answer: [201, z.array(dictionaryEntry)],
  once: keepAnswer,
  run({ tx, who, now, newId }, { body: { words, word = '' } }) {
    const draft = (word: string) => ({
      id: newId(),
      word,
      source: 'manual' as const,
      created_at: now,
      updated_at: now,
    });
    return queries.add(tx, who.userId, (words ?? [word]).map(draft));
  },
});

export const updateDictionaryWord = command({
  http: 'PATCH /api/v1/dictionary/:id',
  tool: 'update_dictionary_word',
  access: write,
  summary: 'Change the spelling of a dictionary word',
  body: z.object({ word }),
  answer: dictionaryEntry,
  errors: ['conflict'],
  async run(context, { id, body }) {
    const { tx, who, now } = context;
    const found = await own(context, id);
    const same = await queries.withWord(tx, who.userId, body.word);
    if (same && same.id !== id) throw conflict('Your dictionary already has this word.');
    return queries.respell(tx, found, body.word, now);
  },
});

export const deleteDictionaryWord = command({
  http: 'DELETE /api/v1/dictionary/:id',
  tool: 'delete_dictionary_word',
  access: write,
  summary: 'Delete a dictionary word',
  answer: 204,
  async run(context, { id }) {
    await queries.remove(context.tx, await own(context, id));
  },
});

export const deleteDictionaryWords = deleteMany({
  http: 'POST /api/v1/dictionary/delete-many',
  access: write,
  summary: `Delete up to ${maxBulkRows} dictionary words`,
  description: ofRows('The status of a word that was deleted is 204.'),
  rows: ['ids', idInput],
  resource: 'Dictionary entry',
  async run({ tx, who }, ids) {
    const removed = await queries.removeMany(tx, who.userId, ids);
    // An id that is named twice was there once.
    return ids.map((id) => (removed.delete(id) ? { id } : notFound('Dictionary entry')));
  },
});
