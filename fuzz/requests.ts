import { readFileSync } from 'node:fs';
import { mutatedAudio } from './audio.ts';
import { pick, type Random, type Schema, valueFor } from './values.ts';

interface Described {
  parameters?: { in: string; name: string; schema?: Schema }[];
  requestBody?: { content: Record<string, { schema: Schema }> };
}

interface Operation extends Described {
  method: string;
  path: string;
}

const document: { paths: Record<string, Record<string, Described>> } = JSON.parse(
  readFileSync(new URL('../openapi.json', import.meta.url), 'utf8'),
);

const operations: Operation[] = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods)
    // These would sign the fuzzer out.
    .filter(([method]) => !(method === 'delete' && path.startsWith('/api/sessions')))
    .map(([method, described]) => ({ ...described, method: method.toUpperCase(), path })),
);

export interface FuzzRequest {
  method: string;
  path: string;
  body: Uint8Array | undefined;
  type: string;
  idempotencyKey?: string;
}

/** One request to one operation of openapi.json. */
export function nextRequest(random: Random): FuzzRequest {
  const [first, ...others] = operations;
  if (!first) throw new Error('openapi.json has no operations');
  const { method, path, parameters = [], requestBody } = pick(random, [first, ...others]);
  const filled = path.replace(/\{\w+\}/g, () =>
    encoded(valueFor({ type: 'string', format: 'uuid' }, random)),
  );
  const query = parameters
    .filter((parameter) => parameter.in === 'query' && random() < 0.5)
    .map(({ name, schema = {} }) => `${name}=${encoded(valueFor(schema, random))}`);
  const content = Object.entries(requestBody?.content ?? {})[0];
  const body = content && method !== 'GET' ? bodyFor(content[1].schema, random) : undefined;
  const type = random() < 0.95 ? (content?.[0] ?? 'application/json') : 'text/plain';
  return { method, path: `${filled}?${query.join('&')}`, body, type, ...idempotency(random) };
}

/** Few keys, so that some come again. */
const idempotency = (random: Random) =>
  random() < 0.2
    ? { idempotencyKey: pick(random, ['a', 'b', 'c', 'x'.repeat(255), 'x'.repeat(256), ' ']) }
    : {};

/** A damaged recording for one of the two doors. */
export function nextRecording(random: Random): FuzzRequest {
  const boundary = 'b0undary';
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n`;
  const body = Buffer.concat([
    Buffer.from(head),
    mutatedAudio(random),
    Buffer.from(`\r\n--${boundary}--\r\n`),
  ]);
  const type = `multipart/form-data; boundary=${boundary}`;
  const path = pick(random, ['/api/v1/transcribe', '/v1/audio/transcriptions']);
  return { method: 'POST', path, body, type };
}

function encoded(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  // A lone surrogate cannot be written in a URL.
  return encodeURIComponent(text.toWellFormed()).slice(0, 4_000);
}

function bodyFor(schema: Schema, random: Random): Uint8Array {
  const json = JSON.stringify(valueFor(schema, random)) ?? '';
  const bytes = Buffer.from(json);
  const dice = random();
  if (dice < 0.7) return bytes;
  if (dice < 0.76) return bytes.subarray(0, Math.floor(random() * bytes.length));
  if (dice < 0.79) return Buffer.from(json.replace('{', '{"content":1,"content":[],"__proto__":{"a":1},'));
  // Every field twice, with another value.
  if (dice < 0.82) return Buffer.from(json.replace(/"(\w+)":/g, '"$1":null,"$1":'));
  if (dice < 0.88) return Buffer.from('['.repeat(Math.floor(random() * 100_000)));
  if (dice < 0.92) return Buffer.from(json.replace(/"(\w+)":[^,}]+/, '"$1":1e99999'));
  if (dice < 0.96) return Buffer.from(json.replace(/"[^"]*"(?=[,}])/, '"\\ud800\\u0000"'));
  const spoiled = Buffer.from(bytes);
  if (spoiled.length > 0) spoiled[Math.floor(random() * spoiled.length)] = Math.floor(random() * 256);
  return spoiled;
}
