import { z } from 'zod';
import { invalid, limitReached } from '../../domain/errors.ts';
import { authorize, orNothing, type Reach } from '../../kernel/authorized.ts';
import type { StreamContext } from '../../kernel/context.ts';
import { lastEventId } from '../../kernel/http.ts';
import { command, follow, list, query, reread, stream, wholeList } from '../../kernel/operation.ts';
import { idInput } from '../../kernel/schemas.ts';
import { roleOf } from '../members/queries.ts';
import { enhance, ownJob } from './enhance.ts';
import * as jobs from './jobs.ts';
import * as queries from './queries.ts';
import {
  action,
  actionChanges,
  actionDraft,
  type LanguageJob,
  languageJob,
  maxActionsPerUser,
  settingsChanges,
  shownSettings,
  wish,
} from './schema.ts';

const read = { credential: 'key', personal: 'notes:read', workspace: 'workspace:notes:read' } as const;
const write = { credential: 'key', personal: 'notes:write', workspace: 'workspace:notes:write' } as const;

const actionsOf = ({ db, who }: Reach) => queries.actions(db, queries.askerOf(who));
/** An action that the caller may change; built-in ones never. */
const changeable = authorize('Action', ({ db, who }, id) =>
  queries.changeableAction(db, queries.askerOf(who), id),
);

export const listActions = wholeList({
  http: 'GET /api/v1/actions',
  tool: 'list_actions',
  access: read,
  summary: 'List the actions on notes: built-in, your own, and those that your workspaces share',
  items: action,
  run: actionsOf,
});

export const createAction = command({
  http: 'POST /api/v1/actions',
  access: write,
  summary: 'Create an action of your own, or one that a workspace shares',
  body: actionDraft,
  answer: [201, action],
  errors: ['limit_reached'],
  once: reread(async (context, id) => (await actionsOf(context)).find((one) => one.id === id)),
  async run({ tx, who, now, newId }, { body }) {
    const { userId } = who;
    const own = who.kind === 'workspace' ? who.workspaceId : null;
    const workspace_id = body.workspace_id ?? own;
    const isShared = workspace_id !== own && workspace_id !== null;
    if (isShared && (own !== null || !(await roleOf(tx, workspace_id, userId))))
      throw invalid('workspace_id must be the id of one of your workspaces.');
    if ((await queries.countActions(tx, userId)) >= maxActionsPerUser)
      throw limitReached(`You have ${maxActionsPerUser} actions; delete one first.`);
    const made = { ...body, id: newId(), user_id: userId, workspace_id, created_at: now, updated_at: now };
    await queries.insertAction(tx, made);
    return made;
  },
});

export const updateAction = command({
  http: 'PATCH /api/v1/actions/:id',
  access: write,
  summary: 'Change an action; fields that you leave out stay the same',
  body: actionChanges,
  answer: action,
  async run(context, { id, body }) {
    const found = await changeable(context, id);
    return queries.updateAction(context.tx, found, { ...body, updated_at: context.now });
  },
});

export const deleteAction = command({
  http: 'DELETE /api/v1/actions/:id',
  access: write,
  summary: 'Delete an action',
  answer: 204,
  async run(context, { id }) {
    await queries.removeAction(context.tx, await changeable(context, id));
  },
});

export const enhanceNote = command({
  http: 'POST /api/v1/notes/:id/enhance',
  tool: 'enhance_note',
  access: { ...write, policy: 'language models' },
  cost: 5,
  summary: 'Let the language model write about a note: a title, a summary, tasks, or an action of your own',
  description:
    'The answer is a job; follow it at `/language/jobs/{id}/events`. The text goes to `enhanced_content`, and the one before it becomes a revision. Without a language model: 503 without `Retry-After`.',
  body: wish,
  answer: [202, languageJob],
  errors: ['limit_reached'],
  once: reread(ownJob),
  run: (context, { id, body }) => enhance(context, id, body),
});

export const listLanguageJobs = list({
  http: 'GET /api/v1/language/jobs',
  access: read,
  summary: 'List what the language model writes and has written for you, newest first',
  query: z.object({ note_id: idInput.optional() }),
  items: languageJob,
  list: 'language jobs',
  limit: [100, 50],
  run: ({ db, who }, { query, page }) => jobs.page(db, queries.askerOf(who), page, query.note_id),
});

export const getLanguageJob = query({
  http: 'GET /api/v1/language/jobs/:id',
  tool: 'get_language_job',
  access: read,
  summary: 'Get the state of a text that the language model writes',
  answer: languageJob,
  run: (context, { id }) => ownJob(context, id),
});

export const cancelLanguageJob = command({
  http: 'DELETE /api/v1/language/jobs/:id',
  access: write,
  summary: 'Cancel a text that is being written; one that is done stays',
  answer: 204,
  async run(context, { id }) {
    const { languageJobs, texts } = context.parts;
    await jobs.cancel(context.tx, await ownJob(context, id), context.now);
    context.afterCommit(() => {
      languageJobs.cancel(id);
      texts.notify(id);
    });
  },
});

export const followLanguageJob = follow({
  http: 'GET /api/v1/language/jobs/:id/events',
  access: read,
  summary: 'Follow a job as server-sent events: `state`, and `text` as it is written',
  description:
    'Of `text`, `offset` says where it goes; 0 begins the text anew. Nothing of it is stored before the state is `done`.',
  headers: z.object({ 'last-event-id': z.string().optional() }),
  responses: { 204: z.undefined().describe('You have everything.') },
  run: async (context, { id }) => eventsOf(context, await ownJob(context, id)),
});

/** How often to look for changes by other servers. Changes by this server come at once. */
const lookEveryMs = 1_000;

async function* eventsOf(context: StreamContext, first: LanguageJob) {
  const { signal, parts } = context;
  const { id } = first;
  let current: LanguageJob | undefined = first;
  let [toldState, toldText] = ['', ''];
  while (current && !signal.aborted) {
    const change = parts.texts.wait(id, lookEveryMs, signal);
    const state = JSON.stringify(current);
    const isOver = current.state !== 'queued' && current.state !== 'writing';
    if (state !== toldState) yield { event: 'state', data: current, id: isOver ? lastEventId : undefined };
    if (isOver) return;
    toldState = state;
    const text = parts.texts.partialOf(id) ?? '';
    if (text !== toldText && text !== '') {
      const offset = text.startsWith(toldText) ? toldText.length : 0;
      yield { event: 'text', data: { offset, text: text.slice(offset) } };
      toldText = text;
    }
    await change;
    // Also for more text: the caller may have left the workspace of the note.
    current = await orNothing(ownJob(context, id));
  }
}

/** With where texts go; null without a model or while it does not answer. */
async function settingsOf({ db, who, parts: { writer } }: Pick<StreamContext, 'db' | 'who' | 'parts'>) {
  const [settings, model] = await Promise.all([
    queries.settingsOf(db, who.userId),
    writer.isOn ? writer.status().catch(() => null) : null,
  ]);
  return { ...settings, is_on: writer.isOn, model };
}

export const getLanguageSettings = query({
  http: 'GET /api/v1/language/settings',
  access: { credential: 'key', personal: 'notes:read' },
  summary: 'Get what you want of language models, and where this server sends texts',
  answer: shownSettings,
  run: settingsOf,
});

// A stream, because the answer asks the model's server.
export const updateLanguageSettings = stream({
  http: 'PATCH /api/v1/language/settings',
  access: { credential: 'key', personal: 'notes:write' },
  summary: 'Set what is written by itself after a recording, or that no text of yours goes to a model',
  body: settingsChanges,
  answer: shownSettings,
  async run(context, { body }) {
    await context.act(async (inside) => {
      const known = new Set((await actionsOf(inside)).map(({ id }) => id));
      const named = [...(body.actions ?? []), ...(body.folders ?? []).flatMap(({ actions }) => actions)];
      if (named.some((id) => !known.has(id))) throw invalid('actions must be ids of GET /actions.');
      if (named.includes('translate'))
        throw invalid('translate needs a language; make an action of your own for it.');
      await queries.changeSettings(inside.tx, context.who.userId, body);
    });
    return settingsOf(context);
  },
});
