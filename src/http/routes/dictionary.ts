import type { FastifyPluginAsyncZod } from '@fastify/type-provider-zod';
import { z } from 'zod';
import { dictionaryEntry, maxWordLength, maxWordsPerRequest } from '../../domain/dictionary.ts';
import type { Principal } from '../../domain/principal.ts';
import type { Dictionary } from '../../services/dictionary.ts';
import { keptWhole, once } from '../idempotency.ts';
import { principalOf } from '../request.ts';
import { cursor, dataOf, label, limit, noContent, pageOf, pathId } from '../schemas.ts';

const entry = dictionaryEntry.meta({ id: 'DictionaryEntry' });

const word = label(maxWordLength);
const newWords = z
  .object({
    words: z.array(word).min(1).max(maxWordsPerRequest).optional(),
    word: word.optional().describe('The same as `words` with one item.'),
  })
  .refine((body) => (body.words === undefined) !== (body.word === undefined), {
    path: ['words'],
    message: 'is required, unless you send word; send only one of the two',
  });

const read = { credential: 'key', personal: 'dictionary:read' } as const;
export const writeDictionary = {
  credential: 'key',
  personal: 'dictionary:write',
  policy: 'cloud backup',
} as const;

export const dictionaryRoutes =
  (dictionary: Dictionary): FastifyPluginAsyncZod =>
  async (app) => {
    app.route({
      method: 'GET',
      url: '/dictionary/list',
      config: { access: read, tool: 'list_dictionary' },
      schema: {
        operationId: 'listDictionary',
        summary: 'List dictionary words, newest first',
        tags: ['Dictionary'],
        querystring: z.object({ limit: limit(500, 200), cursor }),
        response: { 200: pageOf(entry) },
      },
      handler: (request) => dictionary.list(principalOf(request), request.query),
    });

    app.route({
      method: 'POST',
      url: '/dictionary/create',
      config: { idempotent: 'repeatable', access: writeDictionary, tool: 'add_dictionary_words' },
      schema: {
        operationId: 'addDictionaryWords',
        summary: 'Add words; a word that is already there is returned unchanged',
        tags: ['Dictionary'],
        body: newWords,
        response: { 201: dataOf(z.array(entry)) },
      },
      handler: async (request, reply) => {
        const { words, word } = request.body;
        const asked = words ?? (word === undefined ? [] : [word]);
        const add = async (as: Principal) => ({ data: await dictionary.add(as, asked) });
        return reply.code(201).send(await once(request, add, keptWhole));
      },
    });

    app.route({
      method: 'PATCH',
      url: '/dictionary/:id',
      config: { access: writeDictionary, tool: 'update_dictionary_word', errors: ['conflict'] },
      schema: {
        operationId: 'updateDictionaryWord',
        summary: 'Change the spelling of a dictionary word',
        tags: ['Dictionary'],
        params: pathId,
        body: z.object({ word }),
        response: { 200: dataOf(entry) },
      },
      handler: async (request) => ({
        data: await dictionary.update(principalOf(request), request.params.id, request.body.word),
      }),
    });

    app.route({
      method: 'DELETE',
      url: '/dictionary/:id',
      config: { access: writeDictionary, tool: 'delete_dictionary_word' },
      schema: {
        operationId: 'deleteDictionaryWord',
        summary: 'Delete a dictionary word',
        tags: ['Dictionary'],
        params: pathId,
        response: { 204: noContent },
      },
      handler: async (request, reply) => {
        await dictionary.remove(principalOf(request), request.params.id);
        return reply.code(204).send();
      },
    });
  };
