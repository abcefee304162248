import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify';
import { z } from 'zod';
import { AppError } from '../domain/errors.ts';
import { dayMs } from '../domain/rate-limit.ts';
import { sessionTokenOf } from '../domain/session.ts';
import { seal, sealingKey, unseal } from '../lib/seal.ts';
import { newUuid } from '../lib/uuid.ts';
import type { Clock } from '../ports/clock.ts';
import type { Act, IdempotencyStore, KeptAnswer } from '../ports/idempotency-store.ts';
import { bearerToken } from './access.ts';
import { clientSignal, principalOf } from './request.ts';

const keyForm = /^[\x20-\x7e]{1,255}$/;
const json = 'application/json; charset=utf-8';
const keptAnswer = z.object({ status: z.int(), body: z.string(), type: z.string().default(json) });

interface RunningAct extends Act {
  readonly sealWith: Buffer;
  tell(answer: KeptAnswer | undefined): void;
}

/** On a route with `config.idempotent`, carries out requests with the same Idempotency-Key once (decision 0062). */
export function acceptIdempotencyKeys(
  app: FastifyInstance,
  { idempotency: store, clock }: { idempotency: IdempotencyStore; clock: Clock },
): void {
  const acts = new WeakMap<FastifyRequest, RunningAct>();

  /** Undefined if the request got the answer that was kept. */
  async function begin(request: FastifyRequest, reply: FastifyReply, key: string) {
    if (!keyForm.test(key))
      throw new AppError(
        'validation_error',
        'Idempotency-Key must have 1 to 255 printable ASCII characters.',
      );
    const id = newUuid();
    const now = clock();
    const at = (ms: number) => new Date(ms).toISOString();
    const { method, url } = request.routeOptions;
    const { limitKey: caller } = principalOf(request);
    const wanted = {
      id,
      caller,
      route: `${method} ${url}`,
      keyHash: digest(key),
      expiresAt: at(now + dayMs),
    };
    const known = await store.begin(wanted, at(now));
    if (known === 'in flight')
      throw new AppError(
        'conflict',
        'The first request with this Idempotency-Key is still running. Wait for it.',
        {
          retryAfterSeconds: 1,
        },
      );
    const sealWith = sealingKey(key, credentialOf(request));
    if (known !== 'begun') {
      await replay(request, reply, known, sealWith);
      return undefined;
    }
    const { promise: answer, resolve: tell } = Promise.withResolvers<KeptAnswer | undefined>();
    return { id, answer, tell, sealWith };
  }

  async function replay(request: FastifyRequest, reply: FastifyReply, known: KeptAnswer, sealWith: Buffer) {
    await request.routeOptions.config.digestBody?.(request, clientSignal(reply));
    if (fingerprintOf(request) !== known.fingerprint)
      throw new AppError(
        'validation_error',
        'This Idempotency-Key was used for another request. Use a new one.',
      );
    const opened = unseal(sealWith, known.answer);
    if (opened === undefined)
      throw new AppError(
        'conflict',
        'This Idempotency-Key was used in another session of yours. Use a new one.',
      );
    const { status, body, type } = keptAnswer.parse(JSON.parse(opened));
    reply.code(status).header('idempotency-replayed', 'true').type(type);
    // As bytes, which no response schema filters, because it must be the same answer as before.
    reply.send(Buffer.from(body));
  }

  function preHandler(request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction): void {
    const { 'idempotency-key': key } = request.headers;
    if (key === undefined) {
      done();
      return;
    }
    begin(request, reply, String(key)).then((act) => {
      if (act === undefined) return;
      acts.set(request, act);
      // What can be repeated needs no transaction with its answer.
      if (request.routeOptions.config.idempotent === 'anyway') done();
      else store.during(act, done);
    }, done);
  }

  async function onSend(request: FastifyRequest, reply: FastifyReply, payload: unknown): Promise<unknown> {
    const act = acts.get(request);
    if (!act) return payload;
    // If what follows fails, its error comes through here again, and no act must see it.
    acts.delete(request);
    const succeeded = reply.statusCode < 400;
    const answer = succeeded ? keptFrom(request, reply, String(payload), act.sealWith) : undefined;
    act.tell(answer);
    let isKept = false;
    try {
      if (answer && !act.committed) await store.keep(act.id, answer);
      await act.committed;
      isKept = succeeded;
    } catch (cause) {
      // A failed act has already answered with its error.
      if (succeeded) throw cause;
    } finally {
      await store.end(act.id, isKept).catch(() => {});
    }
    return payload;
  }

  app.addHook('onRoute', (route) => {
    if (!route.config?.idempotent) return;
    const own = route.preHandler ?? [];
    Object.assign(route, { preHandler: [preHandler, ...(Array.isArray(own) ? own : [own])], onSend });
  });
}

const keptFrom = (
  request: FastifyRequest,
  reply: FastifyReply,
  body: string,
  sealWith: Buffer,
): KeptAnswer => ({
  fingerprint: fingerprintOf(request),
  answer: seal(
    sealWith,
    JSON.stringify({ status: reply.statusCode, body, type: reply.getHeader('content-type') }),
  ),
});

/** Includes the key, so that nobody can guess a short text from its fingerprint. */
const fingerprintOf = ({ method, url, body, headers, uploadDigest }: FastifyRequest) =>
  digest(JSON.stringify([headers['idempotency-key'], method, url, uploadDigest || body]));

const credentialOf = ({ headers: { authorization = '', cookie = '' } }: FastifyRequest) =>
  bearerToken(authorization) ?? sessionTokenOf(cookie) ?? '';

const digest = (text: string) => createHash('sha256').update(text).digest('base64url');
