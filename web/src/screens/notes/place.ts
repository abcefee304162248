import { useLocation, useNavigate, useParams, useSearchParams } from 'react-router';
import { randomId } from '../../lib/random-id.ts';

export const newNoteId = 'new';

/** The note, folder and search in the URL. */
export function useNotesPlace() {
  const { id } = useParams();
  const [params, setParams] = useSearchParams();
  const navigate = useNavigate();
  const { search } = useLocation();
  return {
    id,
    folderId: params.get('folder') ?? undefined,
    query: params.get('q') ?? '',
    /** A link to a note that keeps the folder and the search. */
    hrefOf: (noteId: string) => `/notes/${noteId}${search}`,
    listHref: `/notes${search}`,
    openNew: () => navigate(`/notes/${newNoteId}${search}`, { state: { draft: randomId() } }),
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

export const folderHref = (folderId: string | undefined) =>
  folderId === undefined ? '/notes' : `/notes?folder=${folderId}`;
