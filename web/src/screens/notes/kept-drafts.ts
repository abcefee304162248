/** Text that could not be saved, kept in this tab. Nothing is lost when a session ends while someone writes. */
export interface KeptDraft {
  title: string;
  content: string;
  /** When the edited note was last changed; undefined for a new note. */
  updatedAt: string | undefined;
}

const keyOf = (id: string | undefined) => `steno-draft-${id ?? 'new'}`;

export function keep(id: string | undefined, draft: KeptDraft): void {
  try {
    sessionStorage.setItem(keyOf(id), JSON.stringify(draft));
  } catch {
    // Storage is full or blocked; the text is still on the screen.
  }
}

export function keptFor(id: string | undefined): KeptDraft | undefined {
  const kept = sessionStorage.getItem(keyOf(id));
  return kept === null ? undefined : JSON.parse(kept);
}

export const forgetKept = (id: string | undefined) => sessionStorage.removeItem(keyOf(id));
