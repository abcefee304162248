import { type Doc, freshDoc, newDoc, pairOf, textOf, type Written } from './doc.ts';

/** The same note as the server last had it. */
export function withoutUnsaved(doc: Doc, session: string): Doc {
  const { base, theirs } = doc;
  return freshDoc(doc, session, theirs ? { ...textOf(theirs), revision: theirs.revision } : base);
}

/** Another page goes on with the text; this one shows it. */
export const handedOver = ({ key, id, mine, base }: Doc, session: string): Doc => ({
  ...newDoc({ key, session }),
  id,
  base,
  mine,
  stored: pairOf(mine),
});

/** With what another page has written. The server may have it under its name, so it is no other text. */
export function shownElsewhere(doc: Doc, mine: Written, newId: () => string): Doc {
  // A session that goes on after another one would use its numbers twice.
  const session = doc.mine.session === doc.session ? newId() : doc.session;
  return { ...doc, session, mine, stored: pairOf(mine) };
}
