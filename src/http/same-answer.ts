import type { FastifyReply } from 'fastify';
import { createCache } from '../lib/cache.ts';
import type { Clock } from '../ports/clock.ts';

const maxBytes = 16 * 1_048_576;
const maxAgeMs = 600_000;
/** What an answer takes besides its texts, about. */
const keptBytes = 200;
const json = 'application/json; charset=utf-8';

/** What an answer depends on. */
export interface Question {
  /** Who asks for what. One answer at most is kept of it. */
  address: string;
  /** Of all that the answer is read from. */
  state: string;
}

/** `text` is undefined when the question was asked once only: most lists of most people are. */
interface Kept {
  state: string;
  text: string | undefined;
  askedAt: number;
}

/**
 * Keeps the texts of answers that were asked for twice while nothing changed, so that the third time costs neither the rows
 * nor their JSON (decision 142). Whether the caller may have the answer is not decided here, but before.
 */
export function createSameAnswers(clock: Clock) {
  const kept = createCache<string, Kept>(maxBytes);

  /** Undefined if the state cannot be named now. */
  return async (
    question: Question | undefined,
    reply: FastifyReply,
    make: () => Promise<unknown>,
  ): Promise<FastifyReply> => {
    reply.header('content-type', json);
    if (question === undefined) return reply.send(await make());
    const { address, state } = question;
    const known = kept.get(address);
    const isRecent = known?.state === state && clock() - known.askedAt < maxAgeMs;
    if (isRecent && known.text !== undefined) return reply.send(known.text);
    // By the response schema of the route, as any answer.
    const text = String(reply.serialize(await make()));
    const keptText = isRecent ? text : undefined;
    const letters = address.length + state.length + (keptText?.length ?? 0);
    kept.set(address, { state, text: keptText, askedAt: clock() }, keptBytes + 2 * letters);
    return reply.send(text);
  };
}
