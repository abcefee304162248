/** Text that the server did not take, in this tab only: a session that ends while someone writes must not cost it. */
export interface KeptDraft {
  title: string;
  content: string;
  /** Of the note it was written on; undefined for a new one. */
  updatedAt: string | undefined;
}

const keyOf = (id: string | undefined) => `steno-draft-${id ?? 'new'}`;

export function keep(id: string | undefined, draft: KeptDraft): void {
  try {
    sessionStorage.setItem(keyOf(id), JSON.stringify(draft));
  } catch {
    // Full or forbidden: the text is still on the screen.
  }
}

export function keptFor(id: string | undefined): KeptDraft | undefined {
  const kept = sessionStorage.getItem(keyOf(id));
  return kept === null ? undefined : JSON.parse(kept);
}

export const forgetKept = (id: string | undefined) => sessionStorage.removeItem(keyOf(id));
