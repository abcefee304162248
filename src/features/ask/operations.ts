import { z } from 'zod';
import { command, list, query, stream } from '../../kernel/operation.ts';
import { answerQuestion, ownConversation } from './answer.ts';
import * as queries from './queries.ts';
import { conversation, finalAnswer, question, turn } from './schema.ts';

const read = { credential: 'key', personal: 'notes:read' } as const;

export const askNotes = stream({
  http: 'POST /api/v1/ask',
  tool: 'ask_notes',
  // Nothing of it shows to assistants on a server without a model.
  offered: ({ writer }) => writer.isOn,
  access: { ...read, workspace: 'workspace:notes:read', policy: 'language models' },
  cost: 10,
  summary: 'Ask your notes; the answer cites note and second, or says that it is not there',
  description:
    'Server-sent events: `delta` with text as it is written, then one `done` with the answer whose citations are checked, or `error`. With `Accept: application/json`, the answer of `done` at once. Needs a language model on the server; without one it is 503.',
  body: question,
  answer: finalAnswer,
  tells: true,
  bound: { name: 'questions', most: 2 },
  errors: ['not_found', 'quota_exceeded', 'concurrency_limit', 'limit_reached', 'service_unavailable'],
  run: (context, { body }) => answerQuestion(context, body),
});

export const listConversations = list({
  http: 'GET /api/v1/conversations',
  access: read,
  summary: 'List the conversations with your notes, newest first',
  items: conversation,
  list: 'conversations',
  limit: [100, 50],
  run: ({ db, who }, { page }) => queries.page(db, who, page),
});

export const getConversation = query({
  http: 'GET /api/v1/conversations/:id',
  access: read,
  summary: 'Get a conversation with its questions and answers',
  answer: conversation.extend({ turns: z.array(turn) }),
  async run(context, { id }) {
    const found = await ownConversation(context, id);
    return { ...found, turns: await queries.turnsOf(context.db, found) };
  },
});

export const deleteConversation = command({
  http: 'DELETE /api/v1/conversations/:id',
  access: { credential: 'key', personal: 'notes:write' },
  summary: 'Delete a conversation for good',
  answer: 204,
  async run(context, { id }) {
    await queries.remove(context.tx, await ownConversation(context, id));
  },
});
