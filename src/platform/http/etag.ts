import { hash } from 'node:crypto';
import type { FastifyReply, onSendHookHandler } from 'fastify';
import { z } from 'zod';

export const notModified = z.undefined().describe('You have this answer already: `If-None-Match` names it.');

/**
 * On a route with `config.etag`, answers 304 to a client that has the answer already: by its content here, or before the answer is
 * made (`hasAnswerOf`). It goes before answers are compressed.
 */
export const answerIfNew: onSendHookHandler<unknown> = (request, reply, payload, done) => {
  const hasTag = request.routeOptions.config.etag === 'content' && reply.statusCode === 200;
  if (!hasTag || typeof payload !== 'string' || !nameAnswer(reply, payload)) {
    done(null, payload);
    return;
  }
  reply.code(304).removeHeader('content-type').removeHeader('content-length');
  done(null, null);
};

/**
 * Names the answer by all that it is made from besides the address: whose data, in which state, in which form. Whether the
 * client has that answer already; then it gets 304, and nothing needs to be read.
 */
export const hasAnswerOf = (reply: FastifyReply, ...sources: string[]): boolean =>
  nameAnswer(reply, JSON.stringify([reply.request.url, ...sources]));

function nameAnswer(reply: FastifyReply, identity: string): boolean {
  // Weak, because the same answer may be sent compressed. A note's tag begins with its revision: see `revisionsIn`.
  const tag = `W/"${reply.revision === 0 ? '' : `${reply.revision}.`}${hash('sha1', identity, 'base64url')}"`;
  reply.header('etag', tag);
  return isKnown(reply, tag);
}

/** Whether the client has the answer with this tag already. */
export function isKnown({ request }: FastifyReply, tag: string): boolean {
  const known = request.headers['if-none-match'];
  return known !== undefined && matches(known, tag);
}

/** The tag of an answer that only names the revision of a note, for `If-Match`. */
export const tagOf = (revision: number) => `W/"${revision}"`;

/**
 * The revisions of a note that `If-Match` names; undefined if it names none in particular. What else is in the answer that a tag
 * stands for, such as the transcript, does not count, and neither does its weakness: no other tag is given out.
 */
export function revisionsIn(ifMatch: string | undefined): number[] | undefined {
  if (ifMatch === undefined || ifMatch.trim() === '*') return undefined;
  return ifMatch.split(',').flatMap((tag) => {
    const [, revision] = /^\s*(?:W\/)?"(\d+)(?:\.[\w-]+)?"\s*$/.exec(tag) ?? [];
    return revision === undefined ? [] : [Number(revision)];
  });
}

/** Tags are compared as if all were weak (RFC 9110, 13.1.2). */
const matches = (known: string, tag: string) =>
  known.trim() === '*' || known.split(',').some((one) => weak(one.trim()) === weak(tag));
const weak = (tag: string) => tag.replace(/^(W\/)?/, 'W/');
