import { readFileSync } from 'node:fs';
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
  return { method, path: `${filled}?${query.join('&')}`, body, type };
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
  if (dice < 0.82) return Buffer.from(json.replace('{', '{"content":1,"content":[],"__proto__":{"a":1},'));
  if (dice < 0.88) return Buffer.from('['.repeat(Math.floor(random() * 100_000)));
  if (dice < 0.92) return Buffer.from(json.replace(/"(\w+)":[^,}]+/, '"$1":1e99999'));
  if (dice < 0.96) return Buffer.from(json.replace(/"[^"]*"(?=[,}])/, '"\\ud800\\u0000"'));
  const spoiled = Buffer.from(bytes);
  if (spoiled.length > 0) spoiled[Math.floor(random() * spoiled.length)] = Math.floor(random() * 256);
  return spoiled;
}

/** Bytes that are no request, or hardly one. */
export function nonsense(random: Random): Buffer {
  const bytes = Buffer.from(
    Array.from({ length: 1 + Math.floor(random() * 300) }, () => Math.floor(random() * 256)),
  );
  const head = pick(random, [
    '',
    'GET ',
    'GET /api/v1/me HTTP/1.1\r\nHost: x\r\n',
    'POST /api/v1/notes/create HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n',
    'POST /api/v1/notes/create HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\n',
  ]);
  return Buffer.concat([Buffer.from(head), bytes, Buffer.from('\r\n\r\n')]);
}
