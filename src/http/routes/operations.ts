import type { FastifyPluginAsync } from 'fastify';
import { anyone } from '../../domain/access.ts';
import type { Metrics } from '../metrics.ts';

export interface Readiness {
  /** Rejects if the database is not ready. */
  check(): Promise<void>;
  /** The state of the speech engine. Everything except POST /transcribe works without it. */
  speech(): string;
}

const open = { config: { access: anyone } };

/** For operators: is the process alive, can it serve, what has it done. */
export const operationRoutes =
  (readiness: Readiness, metrics: Metrics): FastifyPluginAsync =>
  async (app) => {
    app.get('/healthz', open, async () => ({ status: 'ok' }));

    app.get('/readyz', open, async (_request, reply) => {
      try {
        await readiness.check();
        return { status: 'ready', database: 'ok', speech: readiness.speech() };
      } catch {
        return reply.code(503).send({ status: 'not ready', database: 'does not answer' });
      }
    });

    app.get('/metrics', open, async (_request, reply) =>
      reply.type(metrics.registry.contentType).send(await metrics.registry.metrics()),
    );
  };
