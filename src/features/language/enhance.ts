import { invalid } from '../../domain/errors.ts';
import { WriterFailed } from '../../domain/language.ts';
import { reachOf } from '../../domain/owner.ts';
import { authorize } from '../../kernel/authorized.ts';
import type { CommandContext } from '../../kernel/context.ts';
import { reachableBy } from '../../platform/database/owners.ts';
import * as jobs from './jobs.ts';
import { actions, askerOf } from './queries.ts';
import type { LanguageJob, Wish } from './schema.ts';

/** A note that the caller may have written about. */
const noteOf = authorize('Note', ({ db, who }, id) =>
  db
    .selectFrom('notes')
    .select('id')
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .where(reachableBy(reachOf(who)))
    .executeTakeFirst(),
);

export const ownJob = authorize('Job', ({ db, who }, id) => jobs.find(db, askerOf(who), id));

/** Queues a text about the note. Raises `not_found`, `service_unavailable` without a model, `validation_error` and `limit_reached`. */
export async function enhance(context: CommandContext, noteId: string, wish: Wish): Promise<LanguageJob> {
  const { tx, who, now, newId, parts, afterCommit } = context;
  const { id } = await noteOf(context, noteId);
  if (!parts.writer.isOn) throw new WriterFailed('off');
  const asker = askerOf(who);
  const action = (await actions(tx, asker)).find(({ id }) => id === wish.action);
  if (!action) throw invalid('action must be the id of one of the actions of GET /actions.');
  const language = wish.language ?? action.language;
  if (action.id === 'translate' && language === null)
    throw invalid('language must say what to translate into.');
  const output = action.output === 'title' ? action.output : (wish.output ?? action.output);
  const task = { ...action, language, output };
  afterCommit(parts.languageJobs.wake);
  return jobs.add(tx, { id: newId(), asker, noteId: id, task, now });
}
