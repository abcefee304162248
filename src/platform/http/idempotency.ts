import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify';
import { z } from 'zod';
import { AppError } from '../../domain/errors.ts';
import { dayMs } from '../../domain/rate-limit.ts';
import { sessionTokenOf } from '../../domain/session.ts';
import type { Clock } from '../../lib/clock.ts';
import { seal, sealingKey, unseal } from '../../lib/seal.ts';
import { newUuid } from '../../lib/uuid.ts';
import type { Claim, CompletedKey, IdempotencyStore, Made } from '../database/idempotency.ts';
import { bearerToken } from './access.ts';
import { clientSignal, principalOf } from './request.ts';

const keyForm = /^[\x20-\x7e]{1,255}$/;
const madeSchema = z.object({ id: z.string(), kept: z.looseObject({}) });

export const madeIsGone = () =>
  new AppError('not_found', 'What this Idempotency-Key created is gone. Use a new key to create it again.');

/** The hooks of a route with `config.idempotent`: it carries out requests with the same Idempotency-Key once (decision 62). */
export function idempotency({ idempotency: store, clock }: { idempotency: IdempotencyStore; clock: Clock }) {
  /** Undefined if an earlier request was carried out with this key: `request.made` is then what it made. */
  async function claimFor(
    request: FastifyRequest,
    reply: FastifyReply,
    key: string,
  ): Promise<Claim | undefined> {
    if (!keyForm.test(key))
      throw new AppError(
        'validation_error',
        'Idempotency-Key must have 1 to 255 printable ASCII characters.',
      );
    const id = newUuid();
    const at = (ms: number) => new Date(clock() + ms).toISOString();
    const { method, url } = request.routeOptions;
    const { limitKey: caller } = principalOf(request);
    const wanted = { id, caller, route: `${method} ${url}`, keyHash: digest(key), expiresAt: at(dayMs) };
    const known = await store.begin(wanted, at(0));
    if (known === 'in flight')
      throw new AppError(
        'conflict',
        'The first request with this Idempotency-Key is still running. Wait for it.',
        { retryAfterSeconds: 1 },
      );
    const sealWith = sealingKey(key, credentialOf(request));
    if (known !== 'begun') {
      request.made = await open(request, reply, known, sealWith);
      reply.header('idempotency-replayed', 'true');
      return undefined;
    }
    const complete = (made: Made) => ({
      // The digest of an upload is there when it has been read, which is before anything is created.
      fingerprint: fingerprintOf(request),
      answer: seal(sealWith, JSON.stringify(made)),
    });
    return { id, complete };
  }

  async function open(request: FastifyRequest, reply: FastifyReply, known: CompletedKey, sealWith: Buffer) {
    await request.routeOptions.config.digestBody?.(reply, clientSignal(reply));
    if (fingerprintOf(request) !== known.fingerprint)
      throw new AppError(
        'validation_error',
        'This Idempotency-Key was used for another request. Use a new one.',
      );
    const opened = madeSchema.safeParse(JSON.parse(unseal(sealWith, known.answer) ?? 'null'));
    // Sealed for another credential, or by a version of Steno that kept whole answers.
    if (!opened.success)
      throw new AppError(
        'conflict',
        'This Idempotency-Key was used in another session of yours. Use a new one.',
      );
    return opened.data;
  }

  /** Before the handler. */
  function begin(request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction): void {
    const { 'idempotency-key': key } = request.headers;
    if (key === undefined) {
      done();
      return;
    }
    claimFor(request, reply, String(key)).then((claim) => {
      request.claim = claim ?? null;
      done();
    }, done);
  }

  /** When the answer is sent. */
  async function end(request: FastifyRequest, reply: FastifyReply, payload: unknown): Promise<unknown> {
    const { claim } = request;
    // If a later hook fails, its error comes through here again.
    request.claim = null;
    // A row that stays is replaced by the next request with its key, because this process no longer works on it.
    if (claim) await store.end(claim.id, reply.statusCode >= 400).catch(() => {});
    return payload;
  }

  return { begin, end };
}

/** Includes the key, so that a short text cannot be guessed from its fingerprint. */
const fingerprintOf = ({ method, url, body, headers, uploadDigest }: FastifyRequest) =>
  digest(JSON.stringify([headers['idempotency-key'], method, url, uploadDigest || body]));

const credentialOf = ({ headers: { authorization = '', cookie = '' } }: FastifyRequest) =>
  bearerToken(authorization) ?? sessionTokenOf(cookie) ?? '';

const digest = (text: string) => createHash('sha256').update(text).digest('base64url');
