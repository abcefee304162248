import { cache } from '../api/cache.ts';
import { isShortOfRequests } from '../api/rate-limit.ts';
import { showEditing } from '../notes/editing.ts';
import { pendingDeletes } from '../notes/pending-deletes.ts';
import { type ListedNote, listedNotes, takeFromLists } from '../resources/note-list.ts';
import { openNotes, refreshNote } from '../resources/notes.ts';
import { isTold } from '../resources/told-queries.ts';
import { isOutOfDate, type KnownNote, planOf, type Told } from './told.ts';

/** Many changes often come together. */
const collectMs = 100;
/** A writer saves every second. */
const pauseMs = 500;
const sparingMs = 10_000;

/** Reads again what the changes say is out of date, as far as it is on the screen. The rest is read when it is shown. */
export function createRefresh() {
  let waiting: Told[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isBusy = false;

  async function run(): Promise<void> {
    timer = undefined;
    const changes = waiting;
    waiting = [];
    isBusy = true;
    // What could not be shown now is read when it is looked at; the changes after it are shown all the same.
    await carryOut(changes).catch((fault: unknown) => console.error(fault));
    isBusy = false;
    if (waiting.length > 0) later(isShortOfRequests() ? sparingMs : pauseMs);
  }
  function later(ms: number): void {
    if (!isBusy) timer ??= setTimeout(run, ms);
  }
  return {
    take(changes: readonly Told[]): void {
      waiting.push(...changes);
      if (changes.length > 0) later(collectMs);
    },
    stop: () => clearTimeout(timer),
  };
}

/** Everything of which the stream tells. */
export const refreshTold = () =>
  cache.invalidateQueries({ predicate: ({ queryKey }) => isTold(queryKey), refetchType: whatIsSeen() });

/** A hidden page reads again when it is shown. */
const whatIsSeen = () => (document.visibilityState === 'visible' ? 'active' : 'none');

async function carryOut(all: readonly Told[]): Promise<void> {
  const isPending = ({ type, id, revision }: Told) =>
    type === 'note' && revision === null && pendingDeletes.get().has(id);
  const changes = all.filter((change) => !isPending(change));
  const known = knownNotes(new Set(changes.map(({ id }) => id)));
  const plan = planOf(changes, (id) => known.get(id));
  showEditing(plan.written);
  takeFromLists(plan.gone);
  const refetchType = whatIsSeen();
  const readNow = refetchType === 'active' ? plan.read : [];
  await Promise.all(
    readNow.map(async ({ id, space_id }) => {
      // What could not be read stays out of date.
      const note = await refreshNote(id).catch(() => undefined);
      if (!note) return;
      plan.outdated.delete(id);
      const before = known.get(id);
      const isTagged = tagsOf(note) !== before?.tags;
      if (isTagged) plan.tags.add(space_id);
      if (isTagged || note.folder_id !== before?.folderId) plan.lists.add(space_id);
    }),
  );
  await cache.invalidateQueries({ predicate: ({ queryKey }) => isOutOfDate(queryKey, plan), refetchType });
}

const tagsOf = ({ tags = [] }: Pick<ListedNote, 'tags'>) => tags.map(({ id }) => id).join();

/** Which of these notes this page has. */
function knownNotes(ids: ReadonlySet<string>): Map<string, KnownNote> {
  const known = new Map<string, KnownNote>();
  for (const { note, place } of [...listedNotes(ids), ...openNotes(ids)]) {
    const before = known.get(note.id);
    const revision = Math.max(note.revision, before?.revision ?? 0);
    const isSeen = place !== 'kept' || before === undefined;
    known.set(note.id, {
      revision,
      folderId: note.folder_id,
      tags: tagsOf(note),
      place: isSeen ? place : before.place,
    });
  }
  return known;
}
