import { useNavigate, useParams, useSearchParams } from 'react-router';
import { randomId } from '../../lib/random-id.ts';

export const newNoteId = 'new';

/** The note, space, folder and search in the URL. */
export function useNotesPlace() {
  const { id } = useParams();
  const [params, setParams] = useSearchParams();
  const navigate = useNavigate();
  const [here, moment] = [new URLSearchParams(params), params.get('at')];
  here.delete('at');
  const kept = here.size === 0 ? '' : `?${here}`;
  /** Changes the list that is shown, not the note. */
  function set(name: string, value: string) {
    setParams(
      (before) => {
        const next = new URLSearchParams(before);
        next.delete('at');
        if (value === '') next.delete(name);
        else next.set(name, value);
        return next;
      },
      { replace: true },
    );
  }
  return {
    id,
    /** Where to begin in what was said, in seconds. */
    at: moment === null || Number.isNaN(Number(moment)) ? undefined : Number(moment),
    /** Undefined among the person's own notes. */
    spaceId: params.get('space') ?? undefined,
    folderId: params.get('folder') ?? undefined,
    inTrash: params.has('trash'),
    query: params.get('q') ?? '',
    /** A link to a note, or to a moment of it, that keeps the folder and the search. */
    hrefOf: (noteId: string, at?: number) => `/notes/${noteId}${withMoment(kept, at)}`,
    listHref: `/notes${kept}`,
    openNew() {
      const outside = new URLSearchParams(kept);
      outside.delete('trash');
      const there = outside.size === 0 ? '' : `?${outside}`;
      return navigate(`/notes/${newNoteId}${there}`, { state: { draft: randomId() } });
    },
    /** A new note that is not on the server yet. */
    newHref: `/notes/${newNoteId}${kept}`,
    openList: () => navigate(`/notes${kept}`),
    search: (query: string) => set('q', query),
  };
}

/** The query of a link, with the second of the audio that it opens. */
const withMoment = (search: string, at: number | undefined) =>
  at === undefined ? search : `${search}${search === '' ? '?' : '&'}at=${at}`;

/** A link to a note among all notes of the person or a space. */
export const noteHref = (id: string, spaceId: string | undefined) =>
  placeHref({ spaceId }).replace('/notes', `/notes/${id}`);

/** A link to all notes of the person or a space, to a folder, or to the trash. */
export function placeHref(place: {
  spaceId?: string | undefined;
  folderId?: string | undefined;
  inTrash?: boolean;
}): string {
  const params = new URLSearchParams();
  if (place.spaceId) params.set('space', place.spaceId);
  if (place.folderId) params.set('folder', place.folderId);
  if (place.inTrash) params.set('trash', '1');
  return params.size === 0 ? '/notes' : `/notes?${params}`;
}
