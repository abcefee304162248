import { randomUUID } from 'node:crypto';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { AppError } from '../../domain/errors.ts';
import { WriterFailed } from '../../domain/language.ts';
import type { WriterMessage, WrittenPart } from '../../engines/ports/writer.ts';
import type { StreamContext } from '../../kernel/context.ts';
import { stream } from '../../kernel/operation.ts';
import { type Send, sendEvents, streamOf } from '../../platform/http/answer-stream.ts';
import { openAiEnvelope } from '../../platform/http/openai-errors.ts';
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

/** The operator's language model for programs that are made for OpenAI's API. Nothing is stored (decision 207). */
export const createOpenAiChatCompletion = stream({
  http: 'POST /v1/chat/completions',
  access: { credential: 'key', personal: 'llm:use', policy: 'language models' },
  cost: 5,
  summary: 'Let the language model of this server answer, as OpenAI’s API does it',
  description:
    'With `stream`, server-sent events. Text alone: no tools and no images. Needs the scope `llm:use`, which a key has only if it was chosen. Nothing is stored; tokens count.',
  errors: ['quota_exceeded', 'concurrency_limit', 'service_unavailable'],
  wire: { plainText: true, events: true },
  bound: { name: 'chat completions', most: 4 },
  bare: true,
  body,
  answer: z.union([completion.meta({ id: 'OpenAiChatCompletion' }), z.string()]),
  async run(context, { body }) {
    if (!context.parts.writer.isOn) throw new WriterFailed('off');
    const head = { id: `chatcmpl-${randomUUID()}`, created: Math.floor(Date.parse(context.now) / 1000) };
    if (body.stream === true) return sendChunks(context, body, head);
    let text = '';
    let end: { model: string; part: Extract<WrittenPart, { kind: 'end' }> } | undefined;
    await write(context, body, (part, model) => {
      if (part.kind === 'text') text += part.text;
      else end = { part, model };
    });
    if (end === undefined) throw new WriterFailed('cut off');
    return {
      ...head,
      model: end.model,
      object: 'chat.completion' as const,
      choices: [
        {
          index: 0,
          message: { role: 'assistant' as const, content: text, refusal: null },
          finish_reason: finishReason[end.part.reason],
          logprobs: null,
        },
      ],
      usage: usageOf(end.part.tokens),
    };
  },
});

/** Gives each part to `take`, with the name of the model; `end` is the last one. */
async function write(
  { who: { userId }, parts: { writer }, signal, stopping }: StreamContext,
  { messages, ...given }: z.output<typeof body>,
  take: (part: WrittenPart, model: string) => Promise<void> | void,
): Promise<void> {
  try {
    const { model } = await writer.status();
    const parts = writer.write({
      userId,
      purpose: 'long',
      system: messages.filter(isRule).map(textOf).join('\n\n'),
      messages: messages.filter((message): message is WriterMessage => !isRule(message)),
      maxTokens: given.max_completion_tokens ?? given.max_tokens ?? undefined,
      temperature: given.temperature ?? undefined,
      signal: AbortSignal.any([signal, stopping]),
    });
    for await (const part of parts) await take(part, model);
  } catch (thrown) {
    throw asCallersFault(thrown);
  }
}

/** Resolves when the model has answered, or the client has left: until then the caller has its place. */
async function sendChunks(
  context: StreamContext,
  given: z.output<typeof body>,
  head: { id: string; created: number },
): Promise<FastifyReply> {
  const { reply, signal, stopping, explain } = context;
  const ended = Promise.withResolvers<void>();
  async function sendAll(send: Send): Promise<void> {
    let begin = true;
    await write(context, given, async (part, model) => {
      const chunk = (choices: object[], more = {}) =>
        send(
          `data: ${JSON.stringify({ ...head, model, object: 'chat.completion.chunk', choices, ...more })}\n\n`,
        );
      const choice = (delta: object, finish_reason: string | null = null) =>
        chunk([{ index: 0, delta, finish_reason, logprobs: null }]);
      if (begin) await choice({ role: 'assistant', content: '' });
      begin = false;
      if (part.kind === 'text') return choice({ content: part.text });
      await choice({}, finishReason[part.reason]);
      if (given.stream_options?.include_usage === true) await chunk([], { usage: usageOf(part.tokens) });
    });
    await send('data: [DONE]\n\n');
  }
  const events = await streamOf(
    AbortSignal.any([signal, stopping]),
    (send) => sendAll(send).finally(ended.resolve),
    (thrown) => `data: ${JSON.stringify(openAiEnvelope(explain(thrown)))}\n\n`,
  );
  sendEvents(reply, events, eventsType);
  await ended.promise;
  return reply;
}

const isRule = ({ role }: { role: string }) => role === 'system' || role === 'developer';
const textOf = ({ content: text }: { content: string }) => text;

/** A text that is too long is the caller's fault here. */
const asCallersFault = (thrown: unknown) =>
  thrown instanceof WriterFailed && thrown.fault === 'too long'
    ? new AppError('validation_error', 'messages must be shorter: the window of the language model is full.')
    : thrown;
