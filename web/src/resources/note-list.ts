import type { components, operations } from '@steno/sdk';
import { useMutation, useQuery } from '@tanstack/react-query';
import { cache } from '../api/cache.ts';
import { api } from '../api/client.ts';
import { newest } from '../lib/newest.ts';

type Note = components['schemas']['Note'];
/** What a list shows of each note. */
const listed = [
  'id',
  'title',
  'content_is_transcript',
  'note_type',
  'folder_id',
  'pinned',
  'revision',
  'created_at',
  'updated_at',
] as const;
/**
 * A note as a list has it: whole at its beginning, further down with its tags and how its text begins. A list that this browser
 * kept from an earlier version has no tags.
 */
export type ListedNote = Pick<Note, (typeof listed)[number]> & Partial<Note> & { preview?: string };
const isWhole = (note: ListedNote): note is Note => note.content !== undefined;
export type FoundNote = components['schemas']['FoundNote'];
export type NoteSort = 'created' | 'updated';
export type FoundNotes = operations['searchNotes']['responses'][200]['content']['application/json'];

/** The notes of a space or the person's own; all, or the notes of a folder, of a tag, or of both. */
export interface NotesPlace {
  spaceId: string | undefined;
  folderId: string | undefined;
  tagId?: string | undefined;
}

interface NotesWanted extends NotesPlace {
  sort: NoteSort;
}

/** The beginning of a list, as far as it is known. */
interface KnownNotes {
  notes: readonly ListedNote[];
  /** The cursor of the next page; null at the end. */
  next: string | null;
  /** Comes from this browser's storage, so it may be incomplete. */
  isKept?: true;
}

const firstPage = 50;
const laterPages = 100;
/** How much of a list is kept for when the server is away. */
const maxKeptNotes = 200;
const maxKeptChars = 300_000;
const listKey = ['notes', 'list'] as const;
export const searchKey = ['notes', 'search'];
const keyOf = (wanted: NotesWanted) => [...listKey, wanted] as const;

async function readPage(
  { spaceId, folderId, tagId, sort }: NotesWanted,
  cursor?: string,
): Promise<KnownNotes> {
  const query = {
    limit: cursor === undefined ? firstPage : laterPages,
    pinned: 'first' as const,
    sort,
    // Texts of the first page are there at once when a note is opened, and without a connection.
    ...(cursor === undefined ? {} : { cursor, fields: [...listed, 'tags', 'preview'].join() }),
    ...(folderId ? { folder_id: folderId } : {}),
    ...(tagId ? { tag_id: tagId } : {}),
    ...(spaceId ? { space_id: spaceId } : {}),
  };
  const page = await api.GET('/api/v1/notes/list', { params: { query } });
  return { notes: page.data, next: page.next_cursor };
}

/**
 * The notes, pinned ones first. To refresh a list, only its beginning is read: reading all pages of a long list again would
 * use up the requests of a minute.
 */
export function useNoteList(wanted: NotesWanted, enabled: boolean) {
  const queryKey = keyOf(wanted);
  const list = useQuery({
    queryKey,
    enabled,
    queryFn: async () => {
      const start = await readPage(wanted);
      const known = cache.getQueryData<KnownNotes>(queryKey);
      return joined({ ...start, notes: newest(start.notes, known?.notes) }, known, wanted.sort);
    },
    structuralSharing: false,
  });
  const more = useMutation({
    mutationFn: async () => {
      const cursor = cache.getQueryData<KnownNotes>(queryKey)?.next;
      if (!cursor) return;
      const page = await readPage(wanted, cursor);
      cache.setQueryData<KnownNotes>(queryKey, (known) =>
        known?.next === cursor ? { notes: withoutTwins(known.notes, page.notes), next: page.next } : known,
      );
    },
  });
  return { ...list, hasMore: Boolean(list.data?.next), more };
}

/** The refreshed start of a list, followed by what was known of the rest. */
function joined(start: KnownNotes, known: KnownNotes | undefined, sort: NoteSort): KnownNotes {
  const last = start.notes.at(-1);
  if (!known || known.isKept || !last || start.next === null) return start;
  const fresh = new Set(start.notes.map(({ id }) => id));
  // More new notes than one page: the notes in between are unknown.
  if (!known.notes.some(({ id }) => fresh.has(id))) return start;
  const rest = known.notes.filter((note) => !fresh.has(note.id) && inOrder(sort)(last, note) < 0);
  return rest.length === 0 ? start : { notes: [...start.notes, ...rest], next: known.next };
}

/** The part of a list that stays in this browser. */
export function keptPartOfList(list: unknown): KnownNotes {
  // Only list queries are passed in. What has no text cannot be read later.
  const notes = (list as KnownNotes).notes.filter(isWhole);
  let chars = 0;
  const end = notes.findIndex(({ content }) => {
    chars += content.length;
    return chars > maxKeptChars;
  });
  return {
    notes: notes.slice(0, Math.min(maxKeptNotes, end === -1 ? notes.length : end)),
    next: null,
    isKept: true,
  };
}

/** A note that was changed between two pages may be on both. */
function withoutTwins(notes: readonly ListedNote[], more: readonly ListedNote[]): ListedNote[] {
  const known = new Set(notes.map(({ id }) => id));
  return [...notes, ...more.filter(({ id }) => !known.has(id))];
}

const inOrder = (sort: NoteSort) => (a: ListedNote, b: ListedNote) => {
  if (a.pinned !== b.pinned) return a.pinned ? -1 : 1;
  const [left, right] = sort === 'created' ? [a.created_at, b.created_at] : [a.updated_at, b.updated_at];
  return left === right ? (a.id < b.id ? 1 : -1) : left < right ? 1 : -1;
};

/** The note as lists show it. */
export const listedNote = (id: string | undefined): ListedNote | undefined =>
  cache
    .getQueriesData<KnownNotes>({ queryKey: listKey })
    .flatMap(([, list]) => list?.notes ?? [])
    .find((note) => note.id === id);

export const hasListedNotes = (): boolean =>
  cache.getQueriesData<KnownNotes>({ queryKey: listKey }).some(([, list]) => list && list.notes.length > 0);

/** The whole note, if lists have it. */
export function wholeListedNote(id: string | undefined): Note | undefined {
  const note = listedNote(id);
  return note && isWhole(note) ? note : undefined;
}

/** Which of these notes are in lists or search results, and whether these are on the screen. */
export const listedNotes = (ids: ReadonlySet<string>) =>
  cache
    .getQueryCache()
    .findAll({
      predicate: ({ queryKey: [notes, kind] }) => notes === 'notes' && (kind === 'list' || kind === 'search'),
    })
    .flatMap((query) => {
      const data = query.state.data as KnownNotes | FoundNotes | undefined;
      const notes = data && ('notes' in data ? data.notes : data.data);
      const place = query.isActive() ? ('listed' as const) : ('kept' as const);
      return (notes ?? []).filter(({ id }) => ids.has(id)).map((note) => ({ note, place }));
    });

/** Changed fields of some notes, by id. */
export type Changed = ReadonlyMap<string, Partial<Note>>;

/** An unchanged note stays the same object, so that its row is not rendered again. */
const withNews =
  (changed: Changed) =>
  <Known extends ListedNote>(note: Known): Known => {
    const news = changed.get(note.id);
    // An answer that another one overtook.
    const isOlder = news?.revision !== undefined && news.revision < note.revision;
    return news && !isOlder ? { ...note, ...news } : note;
  };

/** Updates the notes in lists and search results, in place. */
export function updateLists(changed: Changed): void {
  for (const [key, list] of cache.getQueriesData<KnownNotes>({ queryKey: listKey })) {
    if (!list?.notes.some(({ id }) => changed.has(id))) continue;
    // The key was made by `keyOf`.
    const { sort, folderId, tagId } = key[2] as NotesWanted;
    const notes = list.notes
      .map(withNews(changed))
      .filter((note) => folderId === undefined || folderId === note.folder_id)
      .filter((note) => tagId === undefined || note.tags?.some(({ id }) => id === tagId))
      .sort(inOrder(sort));
    cache.setQueryData<KnownNotes>(key, { ...list, notes });
  }
  cache.setQueriesData<FoundNotes>(
    { queryKey: searchKey },
    (found) =>
      found && {
        ...found,
        data: found.data.map(withNews(changed)),
      },
  );
}

/** Removes notes from all lists and search results. */
export function takeFromLists(ids: readonly string[]): void {
  if (ids.length === 0) return;
  const gone = new Set(ids);
  const rest = <Known extends ListedNote>(notes: readonly Known[]) => notes.filter(({ id }) => !gone.has(id));
  cache.setQueriesData<KnownNotes>(
    { queryKey: listKey },
    (list) => list && { ...list, notes: rest(list.notes) },
  );
  cache.setQueriesData<FoundNotes>(
    { queryKey: searchKey },
    (found) => found && { ...found, data: rest(found.data) },
  );
}

/** Refetches the lists, and removes these notes from them until then. */
export function removeFromLists(ids: readonly string[]): Promise<void> {
  takeFromLists(ids);
  void cache.invalidateQueries({ queryKey: searchKey });
  return refreshNoteLists();
}

export const refreshNoteLists = () => cache.invalidateQueries({ queryKey: listKey });
