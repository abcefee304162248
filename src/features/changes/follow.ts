import { setTimeout as sleep } from 'node:timers/promises';
import {
  type ChangeEvent,
  type ChangePosition,
  type ChangeType,
  decodeChangeCursor,
  encodeChangeCursor,
  isBefore,
  isOfResource,
  type LoggedChange,
  scopesToSee,
  tooOld,
} from '../../domain/change.ts';
import { AppError } from '../../domain/errors.ts';
import { reachOf } from '../../domain/owner.ts';
import type { Principal } from '../../domain/principal.ts';
import type { Context, StreamContext } from '../../kernel/context.ts';
import { ownerOf } from '../workspaces/access.ts';
import * as queries from './queries.ts';

const lookEveryMs = 1_000;
const eventsPerRead = 200;

/** Also the steps of recordings and language jobs, for a client that asks for them. */
type FollowedChange = Omit<ChangeEvent, 'type' | 'action'> & Pick<LoggedChange, 'type' | 'action'>;

export interface FollowOptions {
  since?: string | undefined;
  type?: ChangeType | undefined;
  space_id?: string | undefined;
  jobs: boolean;
}

export const maySee = ({ scopes }: Principal, type: LoggedChange['type'], wanted: ChangeType | undefined) =>
  (wanted === undefined || type === wanted) && scopesToSee[type].some((scope) => scopes.includes(scope));

/** Raises `validation_error` for a place whose changes are no longer kept. */
export async function requireKept({ db }: Pick<Context, 'db'>, after: ChangePosition): Promise<void> {
  const forgotten = await queries.forgottenUntil(db);
  if (forgotten && isBefore(after, forgotten)) throw tooOld(forgotten.at);
}

type Following = Pick<StreamContext, 'db' | 'database' | 'who' | 'signal' | 'whoNow'>;

/**
 * The changes after `since`, or from now on, of all owners that the caller reaches, or of one space. Credential and reach are
 * looked at before each read: without them the events end.
 */
export async function followChanges(context: Following, options: FollowOptions) {
  const { db, database, signal, whoNow } = context;
  const { since, type, space_id, jobs } = options;
  const timeline = await queries.timelineOf(db);
  const ownersOf = async (who: Principal) =>
    space_id === undefined
      ? queries.ownersIn(db, reachOf(who))
      : [(await ownerOf({ db, who }, space_id)).ownerId];
  await ownersOf(context.who);
  let after =
    since === undefined ? await queries.endOfChanges(database) : decodeChangeCursor(timeline, since);
  await requireKept(context, after);

  return events();

  async function* events(): AsyncGenerator<{ cursor: string; change: FollowedChange | null }> {
    yield { cursor: encodeChangeCursor(timeline, after), change: null };
    let marks = '';
    while (!signal.aborted) {
      const who = await whoNow();
      const owners = who && (await ownersOf(who).catch(endOfReach));
      if (!who || !owners) return;
      const found = await Promise.all(owners.map((owner) => queries.markOf(database, owner)));
      const seen = JSON.stringify([owners, found]);
      const isSame = seen === marks && !found.includes(undefined);
      marks = seen;
      const end = isSame ? after : await queries.endOfChanges(database);
      const rows = isSame ? [] : await queries.readEvents(database, owners, after, eventsPerRead);
      for (const { tx, seq, owner_id, ...row } of rows) {
        after = { tx, seq };
        if ((!jobs && !isOfResource(row)) || !maySee(who, row.type, type)) continue;
        const space = owner_id === who.userId ? null : owner_id;
        yield { cursor: encodeChangeCursor(timeline, after), change: { ...row, space_id: space } };
      }
      if (rows.length === eventsPerRead) marks = '';
      else {
        if (isBefore(after, end)) after = end;
        await sleep(lookEveryMs, undefined, { signal }).catch(() => {
          // The stream has ended, which the loop sees.
        });
      }
    }
  }
}

/** Undefined if the caller no longer reaches the space. */
function endOfReach(cause: unknown): undefined {
  if (!(cause instanceof AppError) || cause.code !== 'not_found') throw cause;
}
