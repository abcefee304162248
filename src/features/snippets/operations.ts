import { maxBulkRows } from '../../domain/bulk.ts';
import { AppError, conflict } from '../../domain/errors.ts';
import { authorize, type Reach } from '../../kernel/authorized.ts';
import { createMany, ofRows } from '../../kernel/bulk.ts';
import { command, list, reread } from '../../kernel/operation.ts';
import { sameTextKey } from '../../lib/text.ts';
import type { Db } from '../../platform/database/database.ts';
import * as queries from './queries.ts';
import { type Snippet, snippet, snippetChanges, snippetDraft } from './schema.ts';

const read = { credential: 'key', personal: 'snippets:read' } as const;
const write = { credential: 'key', personal: 'snippets:write', policy: 'cloud backup' } as const;

const find = ({ db, who }: Reach, id: string) => queries.find(db, who.userId, id);
/** The caller's own snippet. */
const own = authorize('Snippet', find);

/** Raises `conflict` if another snippet of the person has the trigger. */
async function refuseTaken(db: Db, userId: string, trigger: string, id?: string): Promise<void> {
  const taken = (await queries.withTriggers(db, userId, [trigger])).get(sameTextKey(trigger));
  if (taken !== undefined && taken !== id) throw takenTrigger();
}
const isMade = (outcome: Snippet | AppError): outcome is Snippet => !(outcome instanceof AppError);
const takenTrigger = () => conflict('Another snippet already has this trigger.');

export const listSnippets = list({
  http: 'GET /api/v1/snippets/list',
  tool: 'list_snippets',
  access: read,
  summary: 'List snippets, newest first',
  items: snippet,
  list: 'snippets',
  limit: [500, 200],
  run: ({ db, who }, { page }) => queries.page(db, who.userId, page),
});

export const createSnippet = command({
  http: 'POST /api/v1/snippets/create',
  tool: 'create_snippet',
  access: write,
  summary: 'Create a snippet: you say the trigger, and the replacement is written',
  body: snippetDraft,
  answer: [201, snippet],
  errors: ['not_found', 'conflict'],
  once: reread(find),
  async run({ tx, who, now, newId }, { body }) {
    await refuseTaken(tx, who.userId, body.trigger);
    const made = { id: newId(), ...body, created_at: now, updated_at: now };
    await queries.insert(tx, who.userId, [made]);
    return made;
  },
});

export const createSnippets = createMany({
  http: 'POST /api/v1/snippets/create-many',
  access: write,
  summary: `Create up to ${maxBulkRows} snippets`,
  description: ofRows('A row is a body of `POST /snippets/create`.'),
  rows: ['snippets', snippetDraft],
  resource: 'Snippet',
  record: snippet,
  again: find,
  async run({ tx, who, now, newId }, drafts) {
    const triggers = drafts.map(({ trigger }) => trigger);
    const taken = new Set((await queries.withTriggers(tx, who.userId, triggers)).keys());
    const outcomes = drafts.map((draft) => {
      const key = sameTextKey(draft.trigger);
      if (taken.has(key)) return takenTrigger();
      taken.add(key);
      return { id: newId(), ...draft, created_at: now, updated_at: now };
    });
    await queries.insert(tx, who.userId, outcomes.filter(isMade));
    return outcomes;
  },
});

export const updateSnippet = command({
  http: 'PATCH /api/v1/snippets/:id',
  tool: 'update_snippet',
  access: write,
  summary: 'Change a snippet; fields that you leave out stay the same',
  body: snippetChanges,
  answer: snippet,
  errors: ['conflict'],
  async run(context, { id, body }) {
    const { tx, who, now } = context;
    const found = await own(context, id);
    if (body.trigger !== undefined) await refuseTaken(tx, who.userId, body.trigger, id);
    return queries.update(tx, found, { ...body, updated_at: now });
  },
});

export const deleteSnippet = command({
  http: 'DELETE /api/v1/snippets/:id',
  tool: 'delete_snippet',
  access: write,
  summary: 'Delete a snippet',
  answer: 204,
  async run(context, { id }) {
    await queries.remove(context.tx, await own(context, id));
  },
});
