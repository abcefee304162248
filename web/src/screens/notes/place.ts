import { between } from '../../lib/days.ts';
import { withMoment } from '../../lib/note-links.ts';
import { randomId } from '../../lib/random-id.ts';
import { navigate, useParams, useSearchParams } from '../../lib/router.tsx';
import type { Narrowing } from '../../resources/note-search.ts';

export const newNoteId = 'new';

const filterNames = ['kind', 'since', 'until', 'speaker'] as const;
type FilterName = (typeof filterNames)[number];
/** As the fields show them: `voice` or `written`, days, a name. Empty: any. */
type Filters = Record<FilterName, string>;

/** The note, space, folder, tag and search in the URL. */
export function useNotesPlace() {
  const { id } = useParams();
  const [params, setParams] = useSearchParams();
  const [here, moment] = [new URLSearchParams(params), params.get('at')];
  here.delete('at');
  const kept = here.size === 0 ? '' : `?${here}`;
  /** Changes the list that is shown, not the note. */
  function set(...changes: [name: string, value: string][]) {
    setParams(
      (before) => {
        const next = new URLSearchParams(before);
        next.delete('at');
        for (const [name, value] of changes)
          if (value === '') next.delete(name);
          else next.set(name, value);
        return next;
      },
      { replace: true },
    );
  }
  const filters = readFilters(params);
  return {
    id,
    /** Where to begin in what was said, in seconds. */
    at: moment === null || Number.isNaN(Number(moment)) ? undefined : Number(moment),
    /** Undefined among the person's own notes. */
    spaceId: params.get('space') ?? undefined,
    folderId: params.get('folder') ?? undefined,
    tagId: params.get('tag') ?? undefined,
    inTrash: params.has('trash'),
    query: params.get('q') ?? '',
    /** A link to a note, or to a moment of it, that keeps the folder and the search. */
    hrefOf: (noteId: string, at?: number) => `/notes/${noteId}${withMoment(kept, at)}`,
    listHref: `/notes${kept}`,
    openNew() {
      const outside = new URLSearchParams(kept);
      outside.delete('trash');
      // A new note has no tag, so it would not be in the list.
      outside.delete('tag');
      const there = outside.size === 0 ? '' : `?${outside}`;
      return navigate(`/notes/${newNoteId}${there}`, { state: { draft: randomId() } });
    },
    /** A new note that is not on the server yet. */
    newHref: `/notes/${newNoteId}${kept}`,
    openList: () => navigate(`/notes${kept}`),
    search: (query: string) => set(['q', query]),
    filters,
    /** Chosen days and names are kept while the person types; the folder is the place itself. */
    isFiltered: Object.values(filters).some((value) => value !== ''),
    filter: (name: FilterName | 'folder' | 'tag', value: string) => set([name, value]),
    clearFilters: () => set(...[...filterNames, 'tag'].map((name): [string, string] => [name, ''])),
  };
}

const dayOf = (value: string | null) =>
  value && /^\d{4}-\d{2}-\d{2}$/.test(value) && !Number.isNaN(Date.parse(value)) ? value : '';
const readFilters = (params: URLSearchParams): Filters => ({
  kind: ['voice', 'written'].find((kind) => kind === params.get('kind')) ?? '',
  since: dayOf(params.get('since')),
  until: dayOf(params.get('until')),
  speaker: params.get('speaker') ?? '',
});

/** What a search is asked for. */
export function toNarrowing({ kind, since, until, speaker }: Filters): Narrowing {
  return {
    ...(kind && { voice: kind === 'voice' }),
    ...between(since, until),
    ...(speaker && { speaker }),
  };
}
