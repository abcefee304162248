import { readFileSync } from 'node:fs';
import { encodeForm } from '../test/support/form.ts';

export const sentence = readFileSync(new URL('../test/fixtures/audio/sb_spk1_snt6.wav', import.meta.url));

export interface Answer {
  /** 0 if there was none. */
  status: number;
  code: string | undefined;
  retryAfter: number | undefined;
  // Each caller knows the shape of what it asked for, and a wrong guess fails the run.
  // biome-ignore lint/suspicious/noExplicitAny: see above
  data: any;
}

const noAnswer: Answer = { status: 0, code: undefined, retryAfter: undefined, data: undefined };

/** Whether a fault was told as promised: 503 with the envelope and a time to wait. */
export const isHonest = ({ status, code, retryAfter }: Answer) =>
  status === 503 && code === 'service_unavailable' && Number(retryAfter) >= 1;

/** Writes notes and remembers which of them the server acknowledged. */
export function createClient(key: string) {
  const acknowledged = new Map<string, string>();
  let written = 0;

  async function call(address: string, method: string, path: string, body?: unknown): Promise<Answer> {
    const isForm = body instanceof Buffer;
    const { payload, headers } = isForm ? encodeForm({ file: body }) : jsonOf(body);
    try {
      const response = await fetch(`${address}/api/v1${path}`, {
        method,
        headers: { ...headers, authorization: `Bearer ${key}` },
        ...(payload !== undefined && { body: payload }),
        signal: AbortSignal.timeout(60_000),
      });
      const { data, error } = JSON.parse(await response.text());
      const wait = response.headers.get('retry-after');
      return {
        status: response.status,
        code: error?.code,
        retryAfter: wait === null ? undefined : Number(wait),
        data,
      };
    } catch {
      return noAnswer;
    }
  }

  async function write(address: string, padding = ''): Promise<Answer> {
    written += 1;
    const content = `note ${written} ${padding}`;
    const answer = await call(address, 'POST', '/notes/create', { content });
    if (answer.status === 201) acknowledged.set(answer.data.id, content);
    return answer;
  }

  return {
    call,
    write,
    acknowledged,
    transcribe: (address: string) => call(address, 'POST', '/transcribe', sentence),
    /** How many acknowledged notes the server does not have, or has with another text. */
    async lost(address: string): Promise<number> {
      let lost = 0;
      for (const [id, content] of acknowledged) {
        const { data } = await call(address, 'GET', `/notes/${id}`);
        if (data?.content !== content) lost += 1;
      }
      return lost;
    },
  };
}

export type Client = ReturnType<typeof createClient>;

const jsonOf = (body: unknown) =>
  body === undefined
    ? { payload: undefined, headers: {} }
    : { payload: JSON.stringify(body), headers: { 'content-type': 'application/json' } };

/** The status of `/healthz` or `/readyz`; 0 if there is no answer. */
export const statusOf = (address: string, path: string) =>
  fetch(address + path, { signal: AbortSignal.timeout(10_000) }).then(
    ({ status }) => status,
    () => 0,
  );

/** Milliseconds until it is so. */
export async function until(isSo: () => Promise<boolean>, atMostMs = 30_000): Promise<number> {
  const started = performance.now();
  while (!(await isSo())) {
    if (performance.now() - started > atMostMs) throw new Error(`not within ${atMostMs} ms: ${isSo}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return Math.round(performance.now() - started);
}
