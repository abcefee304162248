import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify';

/**
 * Requests that arrive in one turn of the event loop wait for its end and then go on together, step by step. One request runs
 * through more code than the caches of a core hold; so each step finds its code there. It took a third off the processor time
 * of a create (decision 161).
 */
export function goTogether() {
  let waiting: HookHandlerDoneFunction[] = [];

  function go(): void {
    const batch = waiting;
    waiting = [];
    for (const done of batch) done();
  }

  return (_request: FastifyRequest, _reply: FastifyReply, done: HookHandlerDoneFunction): void => {
    if (waiting.push(done) === 1) setImmediate(go);
  };
}
