import { z } from 'zod';
import { session } from '../../../domain/session.ts';
import { authorize } from '../../../kernel/authorized.ts';
import { command, wholeList } from '../../../kernel/operation.ts';
import * as queries from './queries.ts';

const access = { credential: 'session' } as const;

const own = authorize('Session', ({ db, who }, id) => queries.find(db, who.userId, id));

export const listSessions = wholeList({
  http: 'GET /api/sessions',
  summary: 'List your sessions: where you are signed in',
  access,
  items: session
    .extend({ current: z.boolean().describe('True for the session that makes this request.') })
    .meta({ id: 'Session' }),
  async run({ db, who, now }) {
    const currentId = who.kind === 'session' ? who.sessionId : undefined;
    const sessions = await queries.list(db, who.userId, now);
    return sessions.map((session) => ({ ...session, current: session.id === currentId }));
  },
});

export const revokeAllSessions = command({
  http: 'DELETE /api/sessions',
  summary: 'Sign out of all sessions, including this one',
  access,
  answer: 204,
  async run({ tx, who }) {
    await queries.removeAll(tx, who.userId);
  },
});

export const revokeSession = command({
  http: 'DELETE /api/sessions/:id',
  summary: 'Sign out of one session',
  access,
  answer: 204,
  async run(context, { id }) {
    await queries.remove(context.tx, await own(context, id));
  },
});
