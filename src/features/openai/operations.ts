import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { transcribeAccess } from '../../domain/access.ts';
import { maxOpenAiUploadBytes } from '../../domain/audio.ts';
import { notFound } from '../../domain/errors.ts';
import { maxPromptLength, type Transcription } from '../../domain/transcription.ts';
import type { Context } from '../../kernel/context.ts';
import { query, stream } from '../../kernel/operation.ts';
import { isStorableText } from '../../lib/text.ts';
import {
  acceptUploads,
  formSchema,
  languageField,
  orAbsent,
  readUpload,
} from '../../platform/http/upload.ts';
import { transcribe } from '../transcribe/transcribe.ts';
import { granularities, openAiAnswer, openAiFormats, openAiTranscription } from './answers.ts';
import { createTranscriptEvents, eventsType, wholeTextEvents } from './transcript-events.ts';

/** For programs that are made for OpenAI's API (decision 130). */

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

const forms = new WeakMap<FastifyRequest, z.output<typeof fields>>();
const formOf = (request: FastifyRequest) => forms.get(request) ?? fields.parse({});
async function read(reply: FastifyReply, signal: AbortSignal) {
  const { audio, ...given } = await readUpload(reply, signal, form);
  forms.set(reply.request, given);
  return { audio, language: given.language, prompt: given.prompt };
}

/** The whole text, in the format that the form asks for. */
function wholeAnswer(reply: FastifyReply, record: Transcription) {
  const { stream, response_format, timestamp_granularities = ['segment'] } = formOf(reply.request);
  if (stream !== 'true') return openAiAnswer(record, { response_format, timestamp_granularities });
  reply.type(eventsType);
  return wholeTextEvents(record.text);
}

export const createOpenAiTranscription = stream({
  http: 'POST /v1/audio/transcriptions',
  access: transcribeAccess,
  cost: 5,
  summary: 'Transcribe a recording, as OpenAI’s API does it',
  errors: ['concurrency_limit', 'quota_exceeded'],
  wire: { multipart: openAiForm, plainText: true, events: true },
  accepts: acceptUploads,
  digest: ({ reply, signal }) => read(reply, signal),
  bare: true,
  answer: z.union([openAiTranscription.meta({ id: 'OpenAiTranscription' }), z.string()]),
  // `settle` keeps the record.
  again: async (_, { kept }, reply) => wholeAnswer(reply, kept as Transcription),
  async run(context) {
    const { request, reply, signal: client, stopping, complete, explain } = context;
    const events = createTranscriptEvents(reply);
    const work = new AbortController();
    /** Words that were sent count: the rest is transcribed and kept, also without a listener, unless the server stops. */
    const giveUp = () => {
      if (client.aborted && (stopping.aborted || !events.hasBegun())) work.abort(client.reason);
    };
    for (const signal of [client, stopping]) signal.addEventListener('abort', giveUp);
    // An answer that may be asked for again is sent whole.
    const isTold = () => formOf(request).stream === 'true' && !complete;
    try {
      const record = await transcribe(context, (signal) => read(reply, signal), {
        client: work.signal,
        onText: (more) => isTold() && events.delta(more),
      });
      if (!isTold()) return wholeAnswer(reply, record);
      events.done(record.text);
    } catch (thrown) {
      if (!events.hasBegun()) throw thrown;
      events.fail(explain(thrown));
    } finally {
      stopping.removeEventListener('abort', giveUp);
    }
    return reply;
  },
});

const model = z
  .object({
    id: z.string(),
    object: z.literal('model'),
    created: z.int().describe('Always 0: not known.'),
    owned_by: z.string(),
  })
  .meta({ id: 'OpenAiModel' });

/** The language model is in the list of those who may use it. One that does not answer is left out. */
async function modelsFor({ who, parts: { writer, speech } }: Context) {
  const mayWrite = writer.isOn && who.scopes.includes('llm:use');
  const status = mayWrite ? await writer.status().catch(() => undefined) : undefined;
  return [speech().transcriber.status().model, status?.model ?? '']
    .filter((id) => id !== '')
    .map((id) => ({ id, object: 'model' as const, created: 0, owned_by: 'steno' }));
}

export const listOpenAiModels = query({
  http: 'GET /v1/models',
  access: { credential: 'any key' },
  summary: 'List the models: the one that transcribes, and with `llm:use` the language model',
  bare: true,
  answer: z.object({ object: z.literal('list'), data: z.array(model) }),
  run: async (context) => ({ object: 'list' as const, data: await modelsFor(context) }),
});

export const getOpenAiModel = query({
  http: 'GET /v1/models/:id',
  access: { credential: 'any key' },
  summary: 'Get a model of the list',
  params: z.object({ id: z.string() }),
  bare: true,
  answer: model,
  async run(context, { id: named }) {
    const found = (await modelsFor(context)).find(({ id }) => id === named);
    if (!found) throw notFound('Model');
    return found;
  },
});
