import { AppError } from '../../src/domain/errors.ts';
import type { PageQuery } from '../../src/domain/page.ts';
import * as jobs from '../../src/features/language/jobs.ts';
import type { Task } from '../../src/features/language/prompt.ts';
import type { Asker } from '../../src/features/language/queries.ts';
import { type ClaimedJob, queue } from '../../src/features/language/queue.ts';
import { writeText } from '../../src/features/language/write-text.ts';
import { authorize } from '../../src/kernel/authorized.ts';
import type { Actor } from '../../src/kernel/context.ts';
import { type Again, storeJob } from '../../src/kernel/job.ts';
import { JobLost } from '../../src/lib/runner.ts';

export interface NewLanguageJob {
  id: string;
  asker: Pick<Asker, 'userId' | 'workspaceId'>;
  noteId: string;
  task: Task;
}

type Fault = Pick<AppError, 'code' | 'message'>;

const own = authorize('Job', ({ db, who }: { db: Parameters<typeof jobs.find>[0]; who: Asker }, id) =>
  jobs.find(db, who, id),
);
const refused = (cause: unknown) => {
  if (cause instanceof AppError) return cause.code;
  throw cause;
};

/** The queries of the queue of texts, each in a transaction of its own, at a time that the test says. */
export function languageQueue({ actor }: { actor: Actor }) {
  const { database } = actor;
  const { db, processId } = database;
  const release = (id: string, again: Again, now: string) =>
    database.write((tx) => queue.release(tx, processId, id, again, now));
  return {
    release,
    insert: (job: NewLanguageJob, most: number, now: string) =>
      database.write((tx) => jobs.add(tx, { ...job, now }, most)).catch(refused),
    get: (asker: Asker, id: string) => jobs.find(db, asker, id),
    list: (asker: Asker, { noteId, ...page }: PageQuery & { noteId?: string | undefined }) =>
      jobs.page(db, asker, page, noteId),
    cancel: (who: Asker, id: string, now: string) =>
      database.write(async (tx) => jobs.cancel(tx, await own({ db: tx, who }, id), now)).catch(refused),
    /** As a worker that runs these does it. */
    async giveBack(running: readonly string[], now: string) {
      const left = (await queue.held(database)).filter((id) => !running.includes(id));
      for (const id of left) await release(id, { notBefore: now }, now);
      return left.length;
    },
    claim: (now: string, running: readonly string[]) => queue.claim(database, now, running),
    parts: (id: string) => jobs.parts(db, id),
    /** False if the job is lost. */
    keep: (id: string, part: Parameters<typeof jobs.keepPart>[2], progress: number, now: string) =>
      database.write(async (tx) => {
        const isOwn = await queue.holds(tx, processId, id, now);
        if (isOwn) await jobs.keepPart(tx, id, part, progress);
        return isOwn;
      }),
    /** False if the job is lost. */
    settle: (job: ClaimedJob, text: string, now: string, options: Partial<Actor> = {}) =>
      storeJob(writeText, { ...actor, clock: () => Date.parse(now), ...options }, job, {
        text,
        aboutHash: '',
      }).then(
        () => true,
        (cause: unknown) => {
          if (cause instanceof JobLost) return false;
          throw cause;
        },
      ),
    fail: (id: string, error: Fault, now: string) =>
      database.write((tx) => queue.fail(tx, processId, id, error, now)),
    inQueue: () => queue.lengths(database),
    removeOlder: (than: string) => database.write((tx) => jobs.removeOlder(tx, than)),
  };
}
