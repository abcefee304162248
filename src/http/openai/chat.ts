import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import type { FastifyPluginAsyncZod } from '@fastify/type-provider-zod';
import type { FastifyError, FastifyReply } from 'fastify';
import { z } from 'zod';
import { AppError } from '../../domain/errors.ts';
import { WriterFailed } from '../../domain/language.ts';
import type { Clock } from '../../ports/clock.ts';
import type { LanguageWriter, WriterMessage, WrittenPart } from '../../ports/writer.ts';
import { createPlacesOfPeople } from '../../services/places-of-people.ts';
import type { ExplainError } from '../errors.ts';
import { clientSignal, principalOf } from '../request.ts';
import { openAiEnvelope } from './errors.ts';
import { eventsType } from './transcript-events.ts';

const textPart = z.object({ type: z.literal('text'), text: z.string() });
const content = z
  .union([z.string(), z.array(textPart).max(100)])
  .transform((given) => (typeof given === 'string' ? given : given.map(({ text }) => text).join('\n')));
const none = (what: string) => z.null(`must be left out: this server passes on no ${what}`).optional();

/** A request has a megabyte at most (body.ts). Other fields of OpenAI's are accepted, but without effect. */
const body = z.object({
  model: z.string().optional().describe('Any name: the model of the server is used.'),
  messages: z
    .array(z.object({ role: z.enum(['system', 'developer', 'user', 'assistant']), content }))
    .min(1)
    .max(500),
  max_tokens: z.int().min(1).max(32_000).nullish(),
  max_completion_tokens: z.int().min(1).max(32_000).nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  stream: z.boolean().nullish(),
  stream_options: z.object({ include_usage: z.boolean().nullish() }).nullish(),
  n: z.literal(1, 'must be 1').nullish(),
  tools: none('tools'),
  functions: none('functions'),
});

const usageOf = ({ prompt, answer }: { prompt: number; answer: number }) => ({
  prompt_tokens: prompt,
  completion_tokens: answer,
  total_tokens: prompt + answer,
});

const completion = z.object({
  id: z.string(),
  object: z.literal('chat.completion'),
  created: z.int(),
  model: z.string(),
  choices: z.array(
    z.object({
      index: z.int(),
      message: z.object({
        role: z.literal('assistant'),
        content: z.string(),
        refusal: z.string().nullable(),
      }),
      finish_reason: z.enum(['stop', 'length']),
      logprobs: z.string().nullable(),
    }),
  ),
  usage: z.object({ prompt_tokens: z.int(), completion_tokens: z.int(), total_tokens: z.int() }),
});

const finishReason = { complete: 'stop', length: 'length' } as const;

interface Dependencies {
  writer: LanguageWriter;
  clock: Clock;
  explainError: ExplainError;
}

/** The operator's language model for programs that are made for OpenAI's API. Nothing is stored (decision 207). */
export const openAiChatRoutes =
  ({ writer, clock, explainError }: Dependencies): FastifyPluginAsyncZod =>
  async (app) => {
    const places = createPlacesOfPeople({ name: 'chat completions', most: 4 });
    const stop = new AbortController();
    app.addHook('preClose', async () => stop.abort());

    app.route({
      method: 'POST',
      url: '/chat/completions',
      config: {
        access: { credential: 'key', personal: 'llm:use', policy: 'language models' },
        cost: 5,
        plainText: true,
        events: true,
        errors: ['quota_exceeded', 'concurrency_limit', 'service_unavailable'],
      },
      schema: {
        operationId: 'createOpenAiChatCompletion',
        summary: 'Let the language model of this server answer, as OpenAI’s API does it',
        description:
          'With `stream`, server-sent events. Text alone: no tools and no images. Needs the scope `llm:use`, which a key has only if it was chosen. Nothing is stored; tokens count.',
        tags: ['OpenAI'],
        body,
        response: { 200: z.union([completion.meta({ id: 'OpenAiChatCompletion' }), z.string()]) },
      },
      handler: async (request, reply) => {
        if (!writer.isOn) throw new WriterFailed('off');
        const { userId } = principalOf(request);
        const { messages, stream, stream_options, ...given } = request.body;
        const leave = places.enter(userId);
        const parts = readable(
          writer.write({
            userId,
            purpose: 'long',
            system: messages.filter(isRule).map(textOf).join('\n\n'),
            messages: messages.filter((message): message is WriterMessage => !isRule(message)),
            maxTokens: given.max_completion_tokens ?? given.max_tokens ?? undefined,
            temperature: given.temperature ?? undefined,
            signal: AbortSignal.any([clientSignal(reply), stop.signal]),
          }),
          leave,
        );
        // What goes wrong before the first word has a status of its own.
        const first = await parts.next();
        const { model } = await writer.status();
        const head = { id: `chatcmpl-${randomUUID()}`, created: Math.floor(clock() / 1000), model };
        if (stream === true) {
          const chunk = (choices: object[], more = {}) =>
            `data: ${JSON.stringify({ ...head, object: 'chat.completion.chunk', choices, ...more })}\n\n`;
          const events = written({ first, parts, chunk, withUsage: stream_options?.include_usage === true });
          const explain = (thrown: unknown) => explainError(thrown as FastifyError, request);
          return sendEvents(reply, withFault(events, explain));
        }
        let text = '';
        for await (const part of following(first, parts))
          if (part.kind === 'text') text += part.text;
          else
            return {
              ...head,
              object: 'chat.completion' as const,
              choices: [
                {
                  index: 0,
                  message: { role: 'assistant' as const, content: text, refusal: null },
                  finish_reason: finishReason[part.reason],
                  logprobs: null,
                },
              ],
              usage: usageOf(part.tokens),
            };
        throw new WriterFailed('cut off');
      },
    });
  };

const sendEvents = (reply: FastifyReply, events: AsyncGenerator<string>) =>
  reply
    .type(eventsType)
    .header('cache-control', 'no-store')
    .header('x-accel-buffering', 'no')
    .send(Readable.from(events, { objectMode: false }));

const isRule = ({ role }: { role: string }) => role === 'system' || role === 'developer';
const textOf = ({ content: text }: { content: string }) => text;

/** Gives the place back however it ends. A text that is too long is the caller's fault here. */
async function* readable(parts: AsyncIterable<WrittenPart>, leave: () => void): AsyncGenerator<WrittenPart> {
  try {
    yield* parts;
  } catch (thrown) {
    if (thrown instanceof WriterFailed && thrown.fault === 'too long')
      throw new AppError(
        'validation_error',
        'messages must be shorter: the window of the language model is full.',
      );
    throw thrown;
  } finally {
    leave();
  }
}

async function* following(first: IteratorResult<WrittenPart>, rest: AsyncGenerator<WrittenPart>) {
  try {
    if (first.done) return;
    yield first.value;
    yield* rest;
  } finally {
    await rest.return(undefined);
  }
}

interface Streamed {
  first: IteratorResult<WrittenPart>;
  parts: AsyncGenerator<WrittenPart>;
  chunk: (choices: object[], more?: object) => string;
  withUsage: boolean;
}

async function* written({ first, parts, chunk, withUsage }: Streamed): AsyncGenerator<string> {
  const choice = (delta: object, finish_reason: string | null = null) =>
    chunk([{ index: 0, delta, finish_reason, logprobs: null }]);
  yield choice({ role: 'assistant', content: '' });
  for await (const part of following(first, parts))
    if (part.kind === 'text') yield choice({ content: part.text });
    else {
      yield choice({}, finishReason[part.reason]);
      if (withUsage) yield chunk([], { usage: usageOf(part.tokens) });
    }
  yield 'data: [DONE]\n\n';
}

async function* withFault(
  events: AsyncGenerator<string>,
  explain: (thrown: unknown) => AppError,
): AsyncGenerator<string> {
  try {
    yield* events;
  } catch (thrown) {
    yield `data: ${JSON.stringify(openAiEnvelope(explain(thrown)))}\n\n`;
  }
}
