import type { FastifyPluginAsync } from 'fastify';
import { anyone } from '../../domain/access.ts';
import type { TranscriberStatus } from '../../engines/ports/transcriber.ts';
import { version } from '../../lib/version.ts';
import type { QueueState } from '../recordings/worker.ts';

export interface Readiness {
  /** `ok`, or one word for what is wrong with it although it answers. Rejects if it does not answer. */
  database(): Promise<string>;
  /** The speech engine. Everything except transcribing works without it. */
  speech(): Pick<TranscriberStatus, 'state' | 'problem'>;
  /** One word for why the database does not answer. */
  wordFor(fault: unknown): string;
  /** Whether the audio of recordings can be reached. */
  audio(): Promise<'ok' | 'does not answer'>;
  /** Whether every note can be found. */
  search(): Promise<'ok' | 'incomplete'>;
  /** The queue of recordings. */
  recordings(): Promise<QueueState>;
}

/** Anybody may ask: the folders of the machine are in the log and in `steno doctor` only. */
const withoutFolders = (text: string) => text.replace(/\S*[/\\]/g, '');

const open = { config: { access: anyone } };

/** For operators: is the process alive, can it serve. What it has done is in the metrics, at an address of their own. */
export const healthRoutes =
  (readiness: Readiness): FastifyPluginAsync =>
  async (app) => {
    app.get('/healthz', open, async () => ({ status: 'ok', version }));

    app.get('/readyz', open, async (_request, reply) => {
      try {
        const database = await readiness.database();
        const { state, problem } = readiness.speech();
        const { queued, transcribing, problem: standstill } = await readiness.recordings();
        const audio = await readiness.audio();
        const reason =
          (database === 'ok' ? null : `The database can be read, but there is a fault: ${database}.`) ??
          (state === 'failed' ? withoutFolders(problem ?? '') : null) ??
          (audio === 'ok' ? null : 'The audio of recordings cannot be reached.') ??
          standstill;
        return {
          status: reason === null ? 'ready' : 'degraded',
          database,
          speech: state,
          audio,
          search: await readiness.search(),
          recordings: {
            in_queue: queued.count + transcribing.count,
            oldest_seconds: Math.max(queued.oldestSeconds, transcribing.oldestSeconds),
          },
          ...(reason === null ? {} : { reason }),
        };
      } catch (fault) {
        return reply.code(503).send({ status: 'not ready', database: readiness.wordFor(fault) });
      }
    });
  };
