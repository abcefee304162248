import type { FastifyPluginAsyncZod } from '@fastify/type-provider-zod';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { transcribeAccess } from '../../domain/access.ts';
import { maxOpenAiUploadBytes } from '../../domain/audio.ts';
import { notFound } from '../../domain/errors.ts';
import { maxPromptLength } from '../../domain/transcription.ts';
import type { LanguageWriter } from '../../engines/ports/writer.ts';
import { isStorableText } from '../../lib/text.ts';
import type { ExplainError } from '../../platform/http/errors.ts';
import { keptWhole, once } from '../../platform/http/idempotency.ts';
import { clientSignal, principalOf } from '../../platform/http/request.ts';
import {
  acceptUploads,
  formSchema,
  languageField,
  orAbsent,
  readUpload,
} from '../../platform/http/upload.ts';
import type { Transcribe } from '../transcribe/transcribe.ts';
import { granularities, openAiAnswer, openAiFormats, openAiTranscription } from './answers.ts';
import { createTranscriptEvents, eventsType, wholeTextEvents } from './transcript-events.ts';

const streamed = ['json', 'text'];

const fields = z
  .object({
    language: languageField,
    // OpenAI reads the end of a long prompt too.
    prompt: z
      .string()
      .trim()
      .refine(isStorableText, 'must be valid Unicode without U+0000')
      .transform((text) => orAbsent([...text].slice(-maxPromptLength).join('')))
      .optional(),
    response_format: z.enum(openAiFormats).default('json'),
    timestamp_granularities: z.array(z.enum(granularities)).optional(),
    stream: z.enum(['true', 'false', '']).default('false'),
    temperature: z
      .string()
      .refine((text) => Number(text) >= 0 && Number(text) <= 1, 'must be a number from 0 to 1')
      .optional(),
  })
  .refine((form) => form.timestamp_granularities === undefined || form.response_format === 'verbose_json', {
    path: ['timestamp_granularities'],
    message: 'must be left out unless response_format is verbose_json',
  })
  .refine((form) => form.stream !== 'true' || streamed.includes(form.response_format), {
    path: ['stream'],
    message: 'must be false unless response_format is json or text',
  });

const form = {
  fields,
  lists: ['timestamp_granularities'],
  unread: ['model'],
  maxBytes: maxOpenAiUploadBytes,
} as const;

/** The body in OpenAPI. */
const openAiForm = formSchema(
  {
    model: { type: 'string', description: 'Any name: the model of the server is used.' },
    language: { type: 'string', description: 'Such as `en`. Without it, the engine detects it.' },
    prompt: {
      type: 'string',
      description: `Names and jargon to spell correctly. Of a longer text, the last ${maxPromptLength} characters count.`,
    },
    response_format: { type: 'string', enum: openAiFormats, default: 'json' },
    'timestamp_granularities[]': {
      type: 'array',
      items: { type: 'string', enum: granularities },
      default: ['segment'],
      description: 'Only for `verbose_json`.',
    },
    stream: {
      type: 'boolean',
      default: false,
      description:
        'Send the text as it is recognised: events `transcript.text.delta`, then one `transcript.text.done`. For `json` and `text`.',
    },
    temperature: { type: 'number', minimum: 0, maximum: 1, description: 'Accepted, but without effect.' },
  },
  maxOpenAiUploadBytes,
);

const model = z
  .object({
    id: z.string(),
    object: z.literal('model'),
    created: z.int().describe('Always 0: not known.'),
    owned_by: z.string(),
  })
  .meta({ id: 'OpenAiModel' });

interface Dependencies {
  transcribe: Transcribe;
  writer: LanguageWriter;
  explainError: ExplainError;
}

/** For programs that are made for OpenAI's API (decision 130). */
export const openAiRoutes =
  ({ transcribe, writer, explainError }: Dependencies): FastifyPluginAsyncZod =>
  async (app) => {
    await acceptUploads(app);
    const stop = new AbortController();
    app.addHook('preClose', async () => stop.abort());
    /** The language model is in the list of those who may use it. One that does not answer is left out. */
    const models = async (request: FastifyRequest) => {
      const mayWrite = writer.isOn && principalOf(request).scopes.includes('llm:use');
      const status = mayWrite ? await writer.status().catch(() => undefined) : undefined;
      return [transcribe.model(), status?.model ?? '']
        .filter((id) => id !== '')
        .map((id) => ({ id, object: 'model' as const, created: 0, owned_by: 'steno' }));
    };

    const forms = new WeakMap<FastifyRequest, z.output<typeof fields>>();
    const formOf = (request: FastifyRequest) => forms.get(request) ?? fields.parse({});
    async function read(reply: FastifyReply, signal: AbortSignal) {
      const { audio, ...given } = await readUpload(reply, signal, form);
      forms.set(reply.request, given);
      return { audio, language: given.language, prompt: given.prompt };
    }

    async function answer(request: FastifyRequest, reply: FastifyReply) {
      const client = clientSignal(reply);
      const events = createTranscriptEvents(reply);
      // An answer that may be asked for again is sent whole.
      const isKept = request.headers['idempotency-key'] !== undefined;
      const work = new AbortController();
      /** Words that were sent count: the rest is transcribed and kept, whoever listens, unless the server stops. */
      const giveUp = () => {
        if (client.aborted && (stop.signal.aborted || !events.hasBegun())) work.abort(client.reason);
      };
      for (const signal of [client, stop.signal]) signal.addEventListener('abort', giveUp);
      try {
        const record = await once(
          request,
          (as) =>
            transcribe.run(as, (signal) => read(reply, signal), {
              client: work.signal,
              onText: (more) => formOf(request).stream === 'true' && !isKept && events.delta(more),
            }),
          keptWhole,
        );
        const { stream, response_format, timestamp_granularities = ['segment'] } = formOf(request);
        if (stream !== 'true') return openAiAnswer(record, { response_format, timestamp_granularities });
        if (isKept) {
          reply.type(eventsType);
          return wholeTextEvents(record.text);
        }
        events.done(record.text);
      } catch (thrown) {
        if (!events.hasBegun()) throw thrown;
        // Anything may be thrown; explainError knows what to make of it.
        events.fail(explainError(thrown as FastifyError, request));
      } finally {
        stop.signal.removeEventListener('abort', giveUp);
      }
      return undefined;
    }

    app.route({
      method: 'POST',
      url: '/audio/transcriptions',
      config: {
        idempotent: true,
        access: transcribeAccess,
        cost: 5,
        multipart: openAiForm,
        digestBody: read,
        plainText: true,
        events: true,
        errors: ['concurrency_limit', 'quota_exceeded'],
      },
      schema: {
        operationId: 'createOpenAiTranscription',
        summary: 'Transcribe a recording, as OpenAI’s API does it',
        tags: ['OpenAI'],
        response: { 200: z.union([openAiTranscription.meta({ id: 'OpenAiTranscription' }), z.string()]) },
      },
      handler: async (request, reply) => {
        const answered = await answer(request, reply);
        if (answered === undefined) return reply;
        if (typeof answered === 'string' && !reply.hasHeader('content-type'))
          reply.type('text/plain; charset=utf-8');
        return reply.send(answered);
      },
    });

    app.route({
      method: 'GET',
      url: '/models',
      config: { access: { credential: 'any key' } },
      schema: {
        operationId: 'listOpenAiModels',
        summary: 'List the models: the one that transcribes, and with `llm:use` the language model',
        tags: ['OpenAI'],
        response: {
          200: z.object({ object: z.literal('list'), data: z.array(model) }),
        },
      },
      handler: async (request) => ({ object: 'list' as const, data: await models(request) }),
    });

    app.route({
      method: 'GET',
      url: '/models/:id',
      config: { access: { credential: 'any key' } },
      schema: {
        operationId: 'getOpenAiModel',
        summary: 'Get a model of the list',
        tags: ['OpenAI'],
        params: z.object({ id: z.string() }),
        response: { 200: model },
      },
      handler: async (request) => {
        const found = (await models(request)).find(({ id }) => id === request.params.id);
        if (!found) throw notFound('Model');
        return found;
      },
    });
  };
