import { action, builtInActions, chosenActions } from '../domain/action.ts';
import type { Task } from '../domain/prompt.ts';
import { newUuid } from '../lib/uuid.ts';
import type { Asker } from '../ports/language-store.ts';
import { reachedActions } from './actions.ts';
import type { Db } from './database.ts';
import { personOf, settingsOf } from './language.ts';
import { rowsOf } from './schema.ts';

const taskRows = rowsOf(action.pick({ sections: true }));

interface NewRow extends Asker {
  id: string;
  noteId: string;
  task: Task;
  now: string;
  automatic: boolean;
  givenTitle?: string | null;
}

export function newRow({ id, userId, workspaceId, noteId, task, now, automatic, givenTitle = null }: NewRow) {
  const { name, prompt, sections, output, language } = task;
  return {
    id,
    user_id: userId,
    note_id: noteId,
    workspace_id: workspaceId,
    action_id: task.id,
    action_name: name,
    task: JSON.stringify({ id: task.id, name, prompt, sections, output, language }),
    given_title: givenTitle,
    automatic: Number(automatic),
    state: 'queued',
    progress: 0,
    error: null,
    error_code: null,
    result_note_id: null,
    worker: '',
    claimed_at: null,
    not_before: now,
    faults: 0,
    created_at: now,
    updated_at: now,
  } as const;
}

/**
 * Inside the write that ends a recording: what its person chose is queued, a title first. `givenTitle` is a title that nobody
 * typed; undefined if somebody did.
 */
export async function queueChosenActions(
  trx: Db,
  of: { userId: string; noteId: string; folderId: string | null; givenTitle: string | null | undefined },
  now: string,
): Promise<void> {
  const { userId, noteId, folderId, givenTitle } = of;
  const person = await personOf(trx, userId);
  if (!person || person.isBlocked || !person.isAllowed) return;
  const chosen = chosenActions(await settingsOf(trx, userId), folderId).filter(
    (id) => id !== 'title' || givenTitle !== undefined,
  );
  if (chosen.length === 0) return;
  const rows = await reachedActions(trx, { userId, workspaceId: null })
    .select(['id', 'name', 'prompt', 'sections', 'output', 'language'])
    .execute();
  const tasks: readonly Task[] = [...builtInActions, ...rows.map((row) => taskRows.fromRow(row))];
  const found = chosen.flatMap((id) => tasks.find((task) => task.id === id) ?? []);
  for (const task of found)
    await trx
      .insertInto('language_jobs')
      .values(
        newRow({
          id: newUuid(),
          userId,
          workspaceId: null,
          noteId,
          task,
          now,
          automatic: true,
          givenTitle: givenTitle ?? null,
        }),
      )
      .execute();
}
