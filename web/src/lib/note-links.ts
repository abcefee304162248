/** A link with the second of the audio that it opens. */
export const withMoment = (link: string, at: number | undefined) =>
  at === undefined ? link : `${link}${link.includes('?') ? '&' : '?'}at=${at}`;

/** A link to a note, or to a moment of it, among all notes of the person or a space. */
export const noteHref = (id: string, spaceId: string | undefined, at?: number) =>
  withMoment(placeHref({ spaceId }).replace('/notes', `/notes/${id}`), at);

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
