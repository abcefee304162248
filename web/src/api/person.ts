/**
 * Whose page this is: the first person who is signed in here. For another one, and for the next one after signing out, the page
 * is loaded again, so nothing of one person is near another. No other place remembers who is signed in.
 */
let owner: string | undefined;
let isOver = false;
const ends = new Set<(keeps: boolean) => void>();

/** False when this person must get a page of their own. */
export function isPageOf(userId: string): boolean {
  if (isOver) return false;
  owner ??= userId;
  return owner === userId;
}

export const pageOwner = () => owner;
export const isPageOver = () => isOver;

/** `listener` ends what may still write or send. `keeps`: what is not sent stays in the browser. */
export const onPageEnd = (listener: (keeps: boolean) => void) => ends.add(listener);

export function endPage(keeps: boolean): void {
  if (isOver) return;
  isOver = true;
  for (const end of ends) end(keeps);
}

/** Says whose page sends a request. The server refuses it if another tab has signed in as another person. */
export const ofPerson = (): Record<string, string> => (owner === undefined ? {} : { 'steno-user': owner });
