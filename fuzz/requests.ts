import { readFileSync } from 'node:fs';
import { mutatedAudio } from './audio.ts';
import { damagedExport } from './imports.ts';
import { pick, type Random, type Schema, valueFor } from './values.ts';

interface Described {
  parameters?: { in: string; name: string; required?: boolean; schema?: Schema }[];
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
  headers: Record<string, string>;
  /** The client does not wait any longer for the answer. */
  hangUpMs?: number;
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
    .filter((parameter) => parameter.in === 'query' && random() < (parameter.required ? 0.95 : 0.3))
    .map(({ name, schema = {} }) => `${name}=${encoded(valueFor(schema, random))}`);
  const headers = Object.fromEntries(
    parameters
      .filter((parameter) => parameter.in === 'header' && random() < 0.9)
      .map(({ name, schema = {} }) => [name, inHeader(valueFor(schema, random))]),
  );
  const [content, ...otherContents] = Object.entries(requestBody?.content ?? {});
  const [type, { schema }] = content ? pick(random, [content, ...otherContents]) : ['', { schema: {} }];
  const body = content && method !== 'GET' ? bodyFor(type, schema, random) : undefined;
  return {
    method,
    path: `${filled}?${query.join('&')}`,
    body,
    headers: {
      ...headers,
      ...idempotency(random),
      ...(body && { 'content-type': random() < 0.95 ? typeOf(type) : 'text/plain' }),
    },
  };
}

/** What a header can hold. */
const inHeader = (value: unknown) =>
  String(typeof value === 'object' ? JSON.stringify(value) : value).replace(/[^\x20-\x7e]/g, '');

/** Few keys, so that some come again. */
const idempotency = (random: Random) =>
  random() < 0.2
    ? { 'idempotency-key': pick(random, ['a', 'b', 'c', 'x'.repeat(255), 'x'.repeat(256), ' ']) }
    : {};

const boundary = 'b0undary';
const formType = `multipart/form-data; boundary=${boundary}`;
const typeOf = (type: string) => type.replace('multipart/form-data', formType).replace('*', 'ogg');

function formOf(fields: Record<string, unknown>, file: Uint8Array): Uint8Array {
  const part = (name: string, more = '') =>
    `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n`;
  const texts = Object.entries(fields).map(([name, value]) => `${part(name)}${inHeader(value)}\r\n`);
  const head = texts.join('') + part('file', '; filename="a"');
  return Buffer.concat([Buffer.from(head), file, Buffer.from(`\r\n--${boundary}--\r\n`)]);
}

const tus = { 'tus-resumable': '1.0.0', 'content-type': 'application/offset+octet-stream' };
const uploads = '/api/v1/recordings/uploads';

/** A damaged recording for one of the doors. */
export function nextRecording(random: Random): FuzzRequest {
  const file = mutatedAudio(random);
  const form = { body: formOf({}, file), headers: { 'content-type': formType } };
  const length = pick(random, [file.length, file.length, file.length - 1, file.length + 1]);
  const size = random() < 0.3 ? { 'upload-defer-length': '1' } : { 'upload-length': `${length}` };
  const id = encoded(valueFor({ type: 'string', format: 'uuid' }, random));
  return pick(random, [
    { method: 'POST', path: '/api/v1/transcribe', ...form },
    { method: 'POST', path: '/v1/audio/transcriptions', ...form },
    { method: 'POST', path: '/api/v1/recordings', ...form },
    { method: 'POST', path: '/api/v1/recordings', body: file, headers: { 'content-type': 'audio/ogg' } },
    { method: 'POST', path: uploads, body: file, headers: { ...tus, ...size } },
    { method: 'PATCH', path: `${uploads}/${id}`, body: file, headers: { ...tus, 'upload-offset': '0' } },
  ]);
}

export function nextImport(random: Random): FuzzRequest {
  return {
    method: 'POST',
    path: '/api/v1/import',
    body: damagedExport(exported, random),
    headers: { 'content-type': 'application/zip', ...idempotency(random) },
    ...(random() < 0.2 && { hangUpMs: Math.floor(random() * 500) }),
  };
}

let exported = new Uint8Array();
/** An export of the server, which imports are made from. */
export const useExport = (zip: Uint8Array<ArrayBuffer>) => {
  exported = zip;
};

function encoded(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  // A lone surrogate cannot be written in a URL.
  return encodeURIComponent(text.toWellFormed()).slice(0, 4_000);
}

function bodyFor(type: string, schema: Schema, random: Random): Uint8Array {
  if (type === 'application/zip') return damagedExport(exported, random);
  if (type.startsWith('audio/')) return mutatedAudio(random);
  if (type.startsWith('multipart/')) {
    const { file: _, ...properties } = schema.properties ?? {};
    const fields = valueFor({ type: 'object', properties }, random);
    return formOf(typeof fields === 'object' ? { ...fields } : {}, mutatedAudio(random));
  }
  return jsonFor(schema, random);
}

function jsonFor(schema: Schema, random: Random): Uint8Array {
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
