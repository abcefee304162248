import type { FastifyReply } from 'fastify';
import { createCache } from '../lib/cache.ts';
import type { Clock } from '../ports/clock.ts';

const maxBytes = 16 * 1_048_576;
const maxAgeMs = 600_000;
const json = 'application/json; charset=utf-8';

/** `text` is undefined when the question was asked once only: most lists of most people are. */
interface Kept {
  text: string | undefined;
  askedAt: number;
}

/**
 * Keeps the texts of answers that were asked for twice while nothing changed, so that the third time costs neither the rows
 * nor their JSON (decision 142). Whether the caller may have the answer is not decided here, but before.
 */
export function createSameAnswers(clock: Clock) {
  const kept = createCache<string, Kept>(maxBytes);

  /** `question` names all that the answer depends on; undefined if that cannot be named now. */
  return async (
    question: string | undefined,
    reply: FastifyReply,
    make: () => Promise<unknown>,
  ): Promise<FastifyReply> => {
    reply.header('content-type', json);
    if (question === undefined) return reply.send(await make());
    const known = kept.get(question);
    const isRecent = known !== undefined && clock() - known.askedAt < maxAgeMs;
    if (isRecent && known.text !== undefined) return reply.send(known.text);
    // By the response schema of the route, as any answer.
    const text = String(reply.serialize(await make()));
    const keptText = isRecent ? text : undefined;
    kept.set(question, { text: keptText, askedAt: clock() }, 2 * (question.length + (keptText?.length ?? 0)));
    return reply.send(text);
  };
}
