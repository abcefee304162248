/** Undefined: among the person's own notes, in any folder. */
interface Place {
  spaceId?: string | undefined;
  folderId?: string | undefined;
  tagId?: string | undefined;
}

/** A link with the second of the audio that it opens. */
export const withMoment = (link: string, at: number | undefined) =>
  at === undefined ? link : `${link}${link.includes('?') ? '&' : '?'}at=${at}`;

/** A link to a note, or to a moment of it, in the list of that place. */
export const noteHref = (id: string, place: Place, at?: number) =>
  withMoment(placeHref(place).replace('/notes', `/notes/${id}`), at);

/** A link to the notes of a place, or to its trash. */
export function placeHref({ spaceId, folderId, tagId, inTrash }: Place & { inTrash?: boolean }): string {
  const params = new URLSearchParams();
  if (spaceId) params.set('space', spaceId);
  if (folderId) params.set('folder', folderId);
  if (tagId) params.set('tag', tagId);
  if (inTrash) params.set('trash', '1');
  return params.size === 0 ? '/notes' : `/notes?${params}`;
}
