import { useLocation, useNavigate, useParams, useSearchParams } from 'react-router';
import { randomId } from '../../lib/random-id.ts';

export const newNoteId = 'new';

/** The note, space, folder and search in the URL. */
export function useNotesPlace() {
  const { id } = useParams();
  const [params, setParams] = useSearchParams();
  const navigate = useNavigate();
  const { search } = useLocation();
  return {
    id,
    /** Undefined among the person's own notes. */
    spaceId: params.get('space') ?? undefined,
    folderId: params.get('folder') ?? undefined,
    inTrash: params.has('trash'),
    query: params.get('q') ?? '',
    /** A link to a note that keeps the folder and the search. */
    hrefOf: (noteId: string) => `/notes/${noteId}${search}`,
    listHref: `/notes${search}`,
    openNew() {
      const here = new URLSearchParams(search);
      here.delete('trash');
      const kept = here.size === 0 ? '' : `?${here}`;
      return navigate(`/notes/${newNoteId}${kept}`, { state: { draft: randomId() } });
    },
    /** A new note that is not on the server yet. */
    newHref: `/notes/${newNoteId}${search}`,
    openList: () => navigate(`/notes${search}`),
    search(query: string) {
      setParams(
        (before) => {
          const next = new URLSearchParams(before);
          if (query === '') next.delete('q');
          else next.set('q', query);
          return next;
        },
        { replace: true },
      );
    },
  };
}

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
