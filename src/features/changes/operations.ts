import { z } from 'zod';
import {
  change,
  changeEvent,
  changeTypes,
  decodeChangeCursor,
  encodeChangeCursor,
  isBefore,
  isOfResource,
} from '../../domain/change.ts';
import { Answered } from '../../kernel/context.ts';
import { follow, query } from '../../kernel/operation.ts';
import { limit, spaceId } from '../../kernel/schemas.ts';
import { mostStreamsPerPerson, type ServerSentEvent } from '../../platform/http/event-stream.ts';
import { readNotes } from '../notes/access.ts';
import { ownerOf } from '../workspaces/access.ts';
import { followChanges as eventsAfter, maySee, requireKept } from './follow.ts';
import * as queries from './queries.ts';

const moreFields = Object.keys(changeEvent.shape)
  .filter((field) => !(field in change.shape))
  .map((field) => `\`${field}\``)
  .join(', ');

/** In one order that never skips (docs/decisions/0091-changes.md). */
export const listChanges = query({
  http: 'GET /api/v1/changes',
  access: readNotes,
  summary: 'List what was created, updated and deleted, the oldest first',
  description:
    'An extension of this server. Types whose scope the key lacks are left out. A page may be empty and yet have more behind it.',
  query: z.object({
    since: z
      .string()
      .optional()
      .describe(
        '`next_cursor` of the previous answer. Without it, the answer has no changes and the current cursor.',
      ),
    limit: limit(500, 100),
    type: z.enum(changeTypes).optional(),
    space_id: spaceId,
  }),
  answer: z.array(change.meta({ id: 'Change' })),
  beside: {
    has_more: z.boolean(),
    next_cursor: z.string().describe('For the next call, whether or not there is more now.'),
  },
  errors: ['not_found'],
  async run(context, { query: { since, limit, type, space_id } }) {
    const { db, database, who } = context;
    const { ownerId } = await ownerOf(context, space_id);
    const timeline = await queries.timelineOf(db);
    const end = await queries.endOfChanges(database);
    if (since === undefined)
      return new Answered([], {
        beside: { has_more: false, next_cursor: encodeChangeCursor(timeline, end) },
      });
    const after = decodeChangeCursor(timeline, since);
    const rows = await queries.readChanges(database, ownerId, after, limit + 1);
    // Checked after reading, so that rows deleted before the read are noticed.
    await requireKept(context, after);
    const page = rows.slice(0, limit);
    const data = page.filter(isOfResource).filter((one) => maySee(who, one.type, type));
    const has_more = rows.length > limit;
    const last = page.at(-1) ?? after;
    // A client that has seen everything continues from the end, so a cursor gets too old only if it is not used.
    const next = !has_more && isBefore(last, end) ? end : last;
    return new Answered(data, { beside: { has_more, next_cursor: encodeChangeCursor(timeline, next) } });
  },
});

async function* sent(events: Awaited<ReturnType<typeof eventsAfter>>): AsyncGenerator<ServerSentEvent> {
  for await (const { cursor, change } of events)
    yield { id: cursor, event: change ? 'change' : 'ready', data: change ?? {} };
}

export const followChanges = follow({
  http: 'GET /api/v1/changes/events',
  access: readNotes,
  summary: 'Follow what is created, updated and deleted, as server-sent events',
  description: `An extension of this server. Of all that you reach: with a session your own and the spaces of your workspaces. First an event \`ready\`, then \`change\` for each change: those of \`GET /changes\`, with ${moreFields}. The id of an event is a cursor of that route. Ends when the credential ends, and every five minutes; come again with \`Last-Event-ID\`, as browsers do. A person can have ${mostStreamsPerPerson} streams at a time; one more ends the oldest.`,
  query: z.object({
    since: z.string().optional().describe('A cursor of `GET /changes`; by default now.'),
    type: z.enum(changeTypes).optional(),
    space_id: spaceId.describe('Only this space.'),
    jobs: z
      .enum(['true', 'false'])
      .default('false')
      .describe('`true`: also the steps of recordings and language jobs, as webhooks tell them.'),
  }),
  errors: ['not_found'],
  async run(context, { query, headers }) {
    const { 'last-event-id': last } = headers;
    const since = typeof last === 'string' && last !== '' ? last : query.since;
    return sent(await eventsAfter(context, { ...query, since, jobs: query.jobs === 'true' }));
  },
});
