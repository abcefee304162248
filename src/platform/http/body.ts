import { isUtf8 } from 'node:buffer';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { invalid } from '../../domain/errors.ts';
import { nameOf } from '../../lib/explain-issues.ts';
import { isWithin } from '../../lib/json-shape.ts';
import { findUnstorable } from '../../lib/text.ts';

export const maxJsonBytes = 1_048_576;
/** For callers without a credential. A sign-in needs a few hundred bytes. */
export const maxAnonymousBytes = 8_192;
/** A note has three levels. A megabyte of brackets has half a million, which breaks recursive code. */
const maxJsonDepth = 100;
const maxShownName = 100;

/** A PATCH with either type means the same here: fields that are left out stay, null empties one. */
const jsonTypes = ['application/json', 'application/merge-patch+json'];
/** Some editors and tools of Windows begin every text with it (RFC 8259, 8.1: a parser may ignore it). */
const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);
const isMarked = (body: Buffer) => body.subarray(0, byteOrderMark.length).equals(byteOrderMark);

/** JSON as the contract wants it: valid UTF-8, valid Unicode, no U+0000. Each route decides whether it needs a body. */
export function acceptJson(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  const read = async (_request: FastifyRequest, body: Buffer) => {
    const text = isMarked(body) ? body.subarray(byteOrderMark.length) : body;
    return text.length === 0 ? undefined : parseJson(text);
  };
  app.addContentTypeParser(jsonTypes, { parseAs: 'buffer' }, read);
  app.addContentTypeParser('*', { parseAs: 'buffer' }, async (request: FastifyRequest, body: Buffer) => {
    // A page of another origin can send a body without a type unasked, with the cookie of this server but never with a key.
    if (request.headers['content-type'] !== undefined || request.headers.authorization === undefined)
      throw invalid('Content-Type must be application/json.');
    return read(request, body);
  });
  app.addHook('preValidation', ({ url, query, params, raw }, _reply, done) => {
    if (raw.headers.host === undefined && raw.httpVersion === '1.1')
      throw invalid('The Host header is required in HTTP/1.1.');
    // A URL without an escape is plain ASCII.
    if (url.includes('%')) {
      refuseUnstorable(query);
      refuseUnstorable(params);
    }
    done();
  });
}

function parseJson(body: Buffer): unknown {
  refuseDeepJson(body);
  if (!isUtf8(body)) throw invalid('The request body must be valid UTF-8, and not compressed.');
  const text = body.toString('utf8');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw invalid('The request body must be valid JSON.', { cause });
  }
  if (value === null) throw invalid('The request body must not be null.');
  // In valid UTF-8, only an escape can produce a lone surrogate or U+0000.
  if (text.includes('\\u')) refuseUnstorable(value);
  return value;
}

/** Runs before the parser. */
export function refuseDeepJson(body: Buffer): void {
  if (!isWithin(body, { maxDepth: maxJsonDepth, maxValues: Number.POSITIVE_INFINITY }))
    throw invalid(`JSON may be nested at most ${maxJsonDepth} levels deep.`);
}

function refuseUnstorable(value: unknown): void {
  const path = findUnstorable(value);
  if (!path) return;
  // A client may give a field any name, of any length.
  const name = nameOf(path).slice(0, maxShownName) || 'The request body';
  throw invalid(`${name} must be valid Unicode without U+0000.`);
}
