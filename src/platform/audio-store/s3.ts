import { S3mini } from 's3mini';
import { notFound, serviceUnavailable } from '../../domain/errors.ts';
import type { AudioStore } from './audio-store.ts';
import { inBatches, lengthOf } from './folder.ts';

/** An object cannot grow, so the audio is a series of objects. Each is in memory until it is stored. */
const saveEvery = { bytes: 8 * 1_048_576, ms: 10_000 };
const patienceSeconds = 20;
const offsetDigits = 15;

interface Part {
  start: number;
  end: number;
  key: string;
}

/**
 * Audio in any store that speaks S3. `s3://KEY:SECRET@HOST/BUCKET/FOLDER`; `?region=` names the region, `?tls=no` is for a
 * store on the same machine, and `?patience=` is how many seconds it may take to answer. Each part of a recording is an
 * object, named after the offset where it begins.
 */
export function createS3AudioStore(address: string): AudioStore {
  const url = new URL(address);
  const [bucket = '', ...folders] = url.pathname.split('/').filter(Boolean);
  const folder = folders.map((name) => `${name}/`).join('');
  const closing = new AbortController();
  const s3 = new S3mini({
    accessKeyId: decodeURIComponent(url.username),
    secretAccessKey: decodeURIComponent(url.password),
    endpoint: `${url.searchParams.get('tls') === 'no' ? 'http' : 'https'}://${url.host}/${bucket}`,
    region: url.searchParams.get('region') ?? 'us-east-1',
    fetch: createFetchInTime(
      closing.signal,
      Number(url.searchParams.get('patience') ?? patienceSeconds) * 1000,
    ),
  });
  const keyOf = (id: string, start: number) => `${folder}${id}/${String(start).padStart(offsetDigits, '0')}`;

  async function* objectsOf(prefix: string): AsyncGenerator<{ key: string; size: number }> {
    let token: string | undefined;
    do {
      const page = await s3.listObjectsPaged('/', prefix, 1000, token).catch(refuse);
      for (const { Key, Size } of page?.objects ?? []) yield { key: Key, size: Number(Size) };
      token = page?.nextContinuationToken;
    } while (token);
  }

  /** The parts of a recording, each beginning where the last one ends. What a killed upload left in between is skipped. */
  async function partsOf(id: string): Promise<Part[]> {
    const sizes = new Map<number, number>();
    for await (const { key, size } of objectsOf(`${folder}${id}/`))
      sizes.set(Number(key.split('/').at(-1)), size);
    const parts: Part[] = [];
    for (let start = 0; ; ) {
      const size = sizes.get(start);
      if (size === undefined || size === 0) return parts;
      parts.push({ start, end: start + size, key: keyOf(id, start) });
      start += size;
    }
  }

  async function* readParts(parts: readonly Part[], start: number, end: number): AsyncGenerator<Uint8Array> {
    for (const part of parts) {
      const [from, to] = [Math.max(start, part.start), Math.min(end, part.end)];
      if (from >= to) continue;
      const answer = await s3.getObjectRaw(part.key, false, from - part.start, to - part.start).catch(refuse);
      if (!answer.ok || answer.body === null)
        throw unavailable(new Error(`the store answered ${answer.status}`));
      let got = 0;
      for await (const chunk of received(answer.body)) {
        // Some stores send more than was asked for.
        const wanted = chunk.subarray(0, to - from - got);
        got += wanted.length;
        yield wanted;
      }
      if (got !== to - from) throw unavailable(new Error('the store sent too few bytes'));
    }
  }

  return {
    append: (id, offset, chunks, saved) =>
      inBatches(chunks, offset, saveEvery, async (parts, at) => {
        const answer = await s3
          .putObject(keyOf(id, at), Buffer.concat(parts), 'application/octet-stream')
          .catch(refuse);
        if (!answer.ok) throw unavailable(new Error(`the store answered ${answer.status}`));
        await saved(at + lengthOf(parts));
      }),

    async open(id, size) {
      const parts = await partsOf(id);
      if ((parts.at(-1)?.end ?? 0) < size) return undefined;
      return {
        size,
        read: (start, end) => joined(readParts(parts, start, end)),
        close: async () => {},
      };
    },

    async *read(id, { start, end }) {
      const parts = await partsOf(id);
      if ((parts.at(-1)?.end ?? 0) < end) throw notFound('Audio');
      yield* readParts(parts, start, end);
    },

    close: () => closing.abort(new Error('the server stops')),

    async remove(id) {
      for await (const { key } of objectsOf(`${folder}${id}/`)) await s3.deleteObject(key).catch(refuse);
    },

    async *list() {
      const names = new Set<string>();
      for await (const { key } of objectsOf(folder)) names.add(key.slice(folder.length).split('/')[0] ?? '');
      for (const id of names) yield { id, bytes: (await partsOf(id)).at(-1)?.end ?? 0 };
    },
  };
}

async function* received(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch (cause) {
    refuse(cause);
  }
}

function refuse(cause: unknown): never {
  throw unavailable(cause);
}

const unavailable = (cause: unknown) =>
  serviceUnavailable('The store of recordings does not answer. Try again later.', {
    cause,
    retryAfterSeconds: 30,
  });

async function joined(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  for await (const chunk of chunks) parts.push(chunk);
  return Buffer.concat(parts);
}

/** What a slow line carries in a millisecond. */
const leastBytesPerMs = 200;

/**
 * A fetch that gives up when it has waited too long in all: some time for the answer, and more for what is sent and received.
 * The time without a read does not count, because a person who plays a recording pauses.
 */
function createFetchInTime(closing: AbortSignal, patienceMs: number): typeof fetch {
  return async (input, init) => {
    const stop = new AbortController();
    let leftMs = patienceMs + sizeOf(init?.body) / leastBytesPerMs;

    async function inTime<Result>(work: Promise<Result>): Promise<Result> {
      const since = performance.now();
      const timer = setTimeout(() => stop.abort(new Error('it took too long to answer')), leftMs);
      try {
        return await work;
      } finally {
        clearTimeout(timer);
        leftMs = Math.max(0, leftMs - (performance.now() - since));
      }
    }

    const answer = await inTime(fetch(input, { ...init, signal: AbortSignal.any([stop.signal, closing]) }));
    const reader = answer.body?.getReader();
    if (reader === undefined) return answer;
    const body = new ReadableStream<Uint8Array>(
      {
        async pull(controller) {
          const { done, value } = await inTime(reader.read());
          leftMs += (value?.length ?? 0) / leastBytesPerMs;
          if (done) controller.close();
          else controller.enqueue(value);
        },
        cancel: (reason) => reader.cancel(reason),
      },
      { highWaterMark: 0 },
    );
    const { status, statusText, headers } = answer;
    return new Response(body, { status, statusText, headers });
  };
}

const sizeOf = (body: unknown) =>
  ArrayBuffer.isView(body) || body instanceof ArrayBuffer ? body.byteLength : 0;
