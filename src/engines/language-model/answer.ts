import { createParser } from 'eventsource-parser';
import { z } from 'zod';
import { type TokenCount, WriterFailed } from '../../domain/language.ts';

/** No answer of 32,000 tokens is longer, and a server that never ends must not fill the memory. */
const mostCharacters = 1_000_000;

const said = z.object({ content: z.string().nullish(), refusal: z.string().nullish() });
/** A chunk of a stream, or the whole answer of a server that does not stream. */
const chunkSchema = z.object({
  choices: z
    .array(z.object({ delta: said.nullish(), message: said.nullish(), finish_reason: z.string().nullish() }))
    .nullish(),
  usage: z.object({ prompt_tokens: z.number(), completion_tokens: z.number() }).nullish(),
  error: z.unknown().optional(),
});

export type AnswerPart = { text: string } | { end: string } | { tokens: TokenCount };

/** Raises WriterFailed for what is not an answer of a chat server. */
export async function* readAnswer(response: Response): AsyncGenerator<AnswerPart> {
  const type = response.headers.get('content-type') ?? '';
  if (!response.body) throw new WriterFailed('cut off');
  if (type.includes('json')) {
    yield* partsOf(await wholeText(response.body));
    return;
  }
  if (!type.includes('event-stream'))
    throw new WriterFailed('not understood', { cause: new Error(`content-type ${type.slice(0, 60)}`) });
  let found: string[] = [];
  const parser = createParser({ onEvent: ({ data }) => found.push(data), maxBufferSize: mostCharacters });
  for await (const text of texts(response.body)) {
    parser.feed(text);
    const events = found;
    found = [];
    for (const event of events)
      if (event === '[DONE]') yield { end: 'done' };
      else yield* partsOf(event);
  }
}

function* partsOf(json: string): Generator<AnswerPart> {
  const { choices, usage, error } = understood(json);
  if (error)
    throw new WriterFailed('cut off', { cause: new Error('the server sent an error in its answer') });
  const [choice] = choices ?? [];
  const { content, refusal } = choice?.delta ?? choice?.message ?? {};
  if (refusal) throw new WriterFailed('refused');
  if (content) yield { text: content };
  if (usage) yield { tokens: { prompt: usage.prompt_tokens, answer: usage.completion_tokens } };
  if (choice?.finish_reason) yield { end: choice.finish_reason };
}

function understood(json: string): z.infer<typeof chunkSchema> {
  try {
    return chunkSchema.parse(JSON.parse(json));
  } catch {
    // Not as a cause: its message quotes the answer.
    throw new WriterFailed('not understood', { cause: new Error('not an answer of a chat server') });
  }
}

async function* texts(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let length = 0;
  for await (const bytes of body) {
    length += bytes.length;
    // Each token comes in 200 to 300 bytes of JSON.
    if (length > mostCharacters * 100)
      throw new WriterFailed('not understood', { cause: new Error('too large') });
    yield decoder.decode(bytes, { stream: true });
  }
}

export async function wholeText(body: ReadableStream<Uint8Array>): Promise<string> {
  let whole = '';
  for await (const text of texts(body)) {
    whole += text;
    if (whole.length > mostCharacters)
      throw new WriterFailed('not understood', { cause: new Error('too large') });
  }
  return whole;
}

const thoughtBegin = '<think>';
const thoughtEnd = '</think>';

/** Leaves out what a model thinks aloud before its answer, between <think> and </think>. */
export function createThoughtFilter() {
  let held = '';
  let state: 'beginning' | 'thinking' | 'answer' = 'beginning';
  return (text: string): string => {
    if (state === 'answer') return text;
    held += text;
    if (state === 'beginning') {
      const begun = held.trimStart();
      if (begun.length < thoughtBegin.length && thoughtBegin.startsWith(begun)) return '';
      state = begun.startsWith(thoughtBegin) ? 'thinking' : 'answer';
    }
    if (state === 'thinking') {
      const end = held.indexOf(thoughtEnd);
      if (end === -1) return '';
      held = held.slice(end + thoughtEnd.length).trimStart();
      state = 'answer';
    }
    return held;
  };
}
