import { randomUUID } from 'node:crypto';
import type { FastifyPluginAsyncZod } from '@fastify/type-provider-zod';
import type { FastifyError } from 'fastify';
import { z } from 'zod';
import { AppError } from '../../domain/errors.ts';
import { WriterFailed } from '../../domain/language.ts';
import type { LanguageWriter, WriterMessage, WrittenPart } from '../../engines/ports/writer.ts';
import { bounded } from '../../kernel/semaphore.ts';
import type { Clock } from '../../lib/clock.ts';
import { sendEvents, streamOf } from '../../platform/http/answer-stream.ts';
import type { ExplainError } from '../../platform/http/errors.ts';
import { openAiEnvelope } from '../../platform/http/openai-errors.ts';
import { clientSignal, principalOf } from '../../platform/http/request.ts';
import { eventsType } from '../openai/transcript-events.ts';

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
    const inPlace = bounded({ name: 'chat completions', most: 4 });
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
        const signal = AbortSignal.any([clientSignal(reply), stop.signal]);
        const head = { id: `chatcmpl-${randomUUID()}`, created: Math.floor(clock() / 1000) };

        /** Gives each part to `take`, with the name of the model; `end` is the last one. */
        async function write(
          take: (part: WrittenPart, model: string) => Promise<void> | void,
        ): Promise<void> {
          await inPlace(userId, async () => {
            const { model } = await writer.status();
            const parts = writer.write({
              userId,
              purpose: 'long',
              system: messages.filter(isRule).map(textOf).join('\n\n'),
              messages: messages.filter((message): message is WriterMessage => !isRule(message)),
              maxTokens: given.max_completion_tokens ?? given.max_tokens ?? undefined,
              temperature: given.temperature ?? undefined,
              signal,
            });
            for await (const part of parts) await take(part, model);
          }).catch((thrown: unknown) => {
            throw asCallersFault(thrown);
          });
        }

        if (stream === true) {
          const events = await streamOf(
            signal,
            async (send) => {
              let begin = true;
              await write(async (part, model) => {
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
                if (stream_options?.include_usage === true) await chunk([], { usage: usageOf(part.tokens) });
              });
              await send('data: [DONE]\n\n');
            },
            // Anything may be thrown; explainError knows what to make of it.
            (thrown) =>
              `data: ${JSON.stringify(openAiEnvelope(explainError(thrown as FastifyError, request)))}\n\n`,
          );
          return sendEvents(reply, events, eventsType);
        }
        let text = '';
        let end: { model: string; part: Extract<WrittenPart, { kind: 'end' }> } | undefined;
        await write((part, model) => {
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
  };

const isRule = ({ role }: { role: string }) => role === 'system' || role === 'developer';
const textOf = ({ content: text }: { content: string }) => text;

/** A text that is too long is the caller's fault here. */
const asCallersFault = (thrown: unknown) =>
  thrown instanceof WriterFailed && thrown.fault === 'too long'
    ? new AppError('validation_error', 'messages must be shorter: the window of the language model is full.')
    : thrown;
