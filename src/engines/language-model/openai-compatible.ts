import { z } from 'zod';
import {
  estimateTokens,
  promptTokens,
  type TokenCount,
  WriterFailed,
  type WriterFault,
} from '../../domain/language.ts';
import { remembered } from '../../lib/remembered.ts';
import type { LanguageWriter, WriteRequest, WriterStatus, WrittenPart } from '../ports/writer.ts';
import { createThoughtFilter, readAnswer, wholeText } from './answer.ts';

export interface WriterSettings {
  /** Of the server, with or without `/v1`. Empty: there is no model, and nothing is ever sent. */
  url: string;
  key: string;
  /** Empty: the first one that the server names. */
  model: string;
  /** Tokens. 0: what the server says. */
  window: number;
}

export const deadlinesMs = { short: 30_000, long: 600_000 };
/** What small models and Ollama have unless the server names another window. */
const smallestWindow = 4_096;
/** The server may be started again with another model. */
const statusMs = 60_000;
const statusDeadlineMs = 10_000;
const longestRetryAfterSeconds = 3_600;

/** Any server with OpenAI's `/v1/chat/completions`: llama.cpp, Ollama, vLLM, LM Studio, LiteLLM, a cloud. */
export function createHttpWriter(settings: WriterSettings, deadlines = deadlinesMs): LanguageWriter {
  const root = settings.url.replace(/\/+$/, '').replace(/\/v1$/, '');

  function send(path: string, options: RequestInit): Promise<Response> {
    return fetch(`${root}${path}`, {
      ...options,
      // A redirect would send texts and key somewhere else.
      redirect: 'error',
      headers: {
        ...(settings.key !== '' && { authorization: `Bearer ${settings.key}` }),
        ...(options.body !== undefined && { 'content-type': 'application/json' }),
      },
    });
  }

  /** Undefined for anything but JSON. */
  async function look(path: string): Promise<unknown> {
    const response = await send(path, { signal: AbortSignal.timeout(statusDeadlineMs) });
    if (!response.ok || !response.body) return void response.body?.cancel();
    return JSON.parse(await wholeText(response.body));
  }

  async function askStatus(): Promise<WriterStatus> {
    const { origin } = new URL(root);
    const { model, window } = settings;
    if (model !== '' && window > 0) return { address: origin, model, window };
    const list = modelList.safeParse(
      await look('/v1/models').catch((cause: unknown) => raise(cause, 'away')),
    );
    const models = list.data?.data ?? [];
    const named = models.find(({ id }) => id === model) ?? models[0];
    return {
      address: origin,
      model: model || (named?.id ?? 'default'),
      window: window || (await askWindow()) || windowOf(named) || smallestWindow,
    };
  }

  /** llama.cpp says at /props what one request gets; its model list says what the model was trained with. */
  async function askWindow(): Promise<number | undefined> {
    const props = llamaProps.safeParse(await look('/props').catch(() => undefined));
    return props.data?.default_generation_settings.n_ctx;
  }

  const status = remembered(statusMs, askStatus);

  /** Once more if the connection was refused: then nothing was sent. */
  async function post(body: object, signal: AbortSignal): Promise<Response> {
    const options = { method: 'POST', body: JSON.stringify(body), signal };
    return send('/v1/chat/completions', options).catch((cause: unknown) => {
      if (signal.aborted || !isUnsent(cause)) throw cause;
      return send('/v1/chat/completions', options);
    });
  }

  async function ask(request: WriteRequest, signal: AbortSignal): Promise<Response> {
    const { model } = await status();
    const { system, messages, maxTokens, temperature = 0.2 } = request;
    const body: Record<string, unknown> = {
      model,
      messages: [...(system === '' ? [] : [{ role: 'system', content: system }]), ...messages],
      stream: true,
      stream_options: { include_usage: true },
      temperature,
      ...(maxTokens !== undefined && { max_tokens: maxTokens }),
    };
    const response = await post(body, signal);
    if (response.status !== 400 || !response.body) return response;
    // Newer models of OpenAI take neither name nor temperature; older servers take no stream_options.
    const complaint = await wholeText(response.body);
    if (isTooLong(complaint)) throw new WriterFailed('too long');
    const names = ['max_tokens', 'temperature', 'stream_options'].filter((name) => complaint.includes(name));
    if (names.length === 0) throw refusalOf(response);
    for (const name of names) delete body[name];
    if (names.includes('max_tokens')) body.max_completion_tokens = maxTokens;
    return post(body, signal);
  }

  async function* write(request: WriteRequest): AsyncGenerator<WrittenPart> {
    const late = AbortSignal.timeout(deadlines[request.purpose]);
    const signal = request.signal ? AbortSignal.any([request.signal, late]) : late;
    let isAnswering = false;
    try {
      const response = await ask(request, signal);
      if (!response.ok) {
        void response.body?.cancel();
        throw refusalOf(response);
      }
      isAnswering = true;
      yield* written(request, response);
    } catch (cause) {
      if (request.signal?.aborted) throw request.signal.reason;
      if (late.aborted) throw new WriterFailed('late');
      raise(cause, isAnswering ? 'cut off' : 'away');
    }
  }

  return { isOn: true, status, write };
}

async function* written(request: WriteRequest, response: Response): AsyncGenerator<WrittenPart> {
  const answered = createThoughtFilter();
  let answer = '';
  let end: string | undefined;
  let tokens: TokenCount | undefined;
  for await (const part of readAnswer(response)) {
    if ('tokens' in part) tokens = part.tokens;
    else if ('end' in part) end ??= part.end;
    else {
      const text = answered(part.text);
      answer += text;
      if (text !== '') yield { kind: 'text', text };
    }
  }
  if (end === undefined) throw new WriterFailed('cut off');
  if (end === 'content_filter') throw new WriterFailed('refused');
  if (answer.trim() === '') throw new WriterFailed(end === 'length' ? 'cut off' : 'empty');
  yield {
    kind: 'end',
    reason: end === 'length' ? 'length' : 'complete',
    tokens: tokens ?? { prompt: promptTokens(request), answer: estimateTokens(answer) },
  };
}

const modelList = z.object({
  data: z.array(
    z.object({
      id: z.string(),
      max_model_len: z.number().nullish(),
      context_length: z.number().nullish(),
      context_window: z.number().nullish(),
    }),
  ),
});
const llamaProps = z.object({ default_generation_settings: z.object({ n_ctx: z.number().positive() }) });

/** vLLM, OpenRouter and Groq each have a name of their own for it. */
const windowOf = (model: z.infer<typeof modelList>['data'][number] | undefined) =>
  model?.max_model_len ?? model?.context_length ?? model?.context_window;

const isTooLong = (complaint: string) =>
  /context_length_exceeded|exceed_context_size|maximum context length|context (size|window)/i.test(complaint);

function refusalOf({ status, headers }: Response): WriterFailed {
  const cause = new Error(`the server answered ${status}`);
  const retryAfterSeconds = secondsOf(headers.get('retry-after'));
  if (status === 413) return new WriterFailed('too long', { cause });
  if (status === 429 || status === 503) return new WriterFailed('busy', { cause, retryAfterSeconds });
  // What a proxy answers in its place.
  if (status === 502 || status === 504) return new WriterFailed('away', { cause, retryAfterSeconds });
  return new WriterFailed(status >= 500 ? 'broken' : 'not understood', { cause, retryAfterSeconds });
}

/** `Retry-After` is in seconds, or a date. */
function secondsOf(retryAfter: string | null): number | undefined {
  if (retryAfter === null) return undefined;
  const seconds = Number(retryAfter);
  const wait = Number.isNaN(seconds) ? (Date.parse(retryAfter) - Date.now()) / 1_000 : seconds;
  return Number.isNaN(wait) ? undefined : Math.min(longestRetryAfterSeconds, Math.max(1, Math.ceil(wait)));
}

const unsentCodes = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT']);

function isUnsent(cause: unknown): boolean {
  const inner = cause instanceof Error ? cause.cause : undefined;
  return inner instanceof Error && 'code' in inner && unsentCodes.has(String(inner.code));
}

/** What `fetch` raises has no words of the request. */
function raise(cause: unknown, fault: WriterFault): never {
  throw cause instanceof WriterFailed ? cause : new WriterFailed(fault, { cause });
}
