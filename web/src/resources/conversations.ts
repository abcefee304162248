import { type components, type operations, readEvents } from '@steno/sdk';
import { cache } from '../api/cache.ts';
import { api, at, slow } from '../api/client.ts';
import { StenoError } from '../api/errors.ts';
import { conversationsPerPage } from '../api/limits.ts';
import { useData } from './use-data.ts';
import { usePages } from './use-pages.ts';

export type Conversation =
  operations['getConversation']['responses'][200]['content']['application/json']['data'];
export type Turn = Conversation['turns'][number];
export type Citation = components['schemas']['Citation'];
export type Answer = components['schemas']['Answer'];
export type Question = operations['askNotes']['requestBody']['content']['application/json'];

const listKey = ['conversations', 'list'];
const oneKey = (id: string) => ['conversations', 'one', id];

export const useConversations = () =>
  usePages(listKey, (page, signal) =>
    api.GET('/api/v1/conversations', { params: { query: { limit: conversationsPerPage, ...page } }, signal }),
  );

export const useConversation = (id: string | undefined) =>
  useData(oneKey(id ?? ''), () => api.GET('/api/v1/conversations/{id}', at({ id: id ?? '' })), {
    enabled: id !== undefined,
  });

export async function deleteConversation(id: string): Promise<void> {
  await api.DELETE('/api/v1/conversations/{id}', at({ id }));
  cache.removeQueries({ queryKey: oneKey(id) });
  await cache.invalidateQueries({ queryKey: listKey });
}

/** Reports the text as it is written, and returns what is left of it once its citations are checked. */
export async function ask(
  body: Question,
  onText: (text: string) => void,
  signal: AbortSignal,
): Promise<Answer> {
  const stream = await api.POST('/api/v1/ask', { body, parseAs: 'stream', signal, ...slow });
  for await (const { event, data } of readEvents(stream)) {
    if (event === 'delta') onText(JSON.parse(data).text);
    if (event === 'done') return JSON.parse(data);
    if (event === 'error') throw new StenoError(503, JSON.parse(data));
  }
  throw new StenoError(503);
}

/** What was just answered is shown without being read again. */
export function showAnswered({ question, space_id }: Question, answer: Answer): void {
  const { conversation_id: id, ...found } = answer;
  if (id === null) return;
  const at = new Date().toISOString();
  const turn: Turn = { ...found, question, created_at: at };
  cache.setQueryData<Conversation>(oneKey(id), (before) => ({
    ...(before ?? { id, space_id: space_id ?? null, title: question, created_at: at, turns: [] }),
    updated_at: at,
    turns: [...(before?.turns ?? []), turn],
  }));
  void cache.invalidateQueries({ queryKey: listKey });
}
