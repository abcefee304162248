import { forgetInBrowser, keepInBrowser, keptInBrowser } from '../../lib/browser-storage.ts';
import { createStore } from '../../lib/store.ts';

/** Text that the server does not have yet. It survives a closed tab, a lost connection and a server that is away. */
export interface KeptDraft {
  /** The id of the note; for a new note a random one. */
  id: string;
  title: string;
  content: string;
  /** When the edited note was last changed; undefined for a new note. */
  updatedAt: string | undefined;
  folderId: string | undefined;
  /** Undefined for the person's own note. */
  spaceId: string | undefined;
  /** What was sent to create the note, if no answer came. Sent again with the same key, it makes no second note. */
  sent: SentNote | undefined;
}

export interface SentNote {
  key: string;
  title: string | null;
  content: string;
}

/** The drafts of this person, by id. */
export const keptDrafts = createStore<ReadonlyMap<string, KeptDraft>>(new Map());

let person = '';
const keyOf = (id: string) => `${person}/draft/${id}`;

/** Reads what this person left behind in this browser. */
export async function loadKeptDrafts(userId: string): Promise<void> {
  if (userId !== person) keptDrafts.set(new Map());
  person = userId;
  const found = await keptInBrowser<KeptDraft>(keyOf(''));
  keptDrafts.set(new Map([...found.map((draft) => [draft.id, draft] as const), ...keptDrafts.get()]));
}

export function keep(draft: KeptDraft): void {
  keptDrafts.set(new Map(keptDrafts.get()).set(draft.id, draft));
  waiting.add(draft.id);
  timer ??= setTimeout(write, writeEveryMs);
}

/** A long note is not written again for every letter. */
const writeEveryMs = 250;
const waiting = new Set<string>();
let timer: ReturnType<typeof setTimeout> | undefined;

function write(): void {
  clearTimeout(timer);
  timer = undefined;
  for (const id of waiting) {
    const draft = keptDrafts.get().get(id);
    if (draft) void keepInBrowser(keyOf(id), draft);
  }
  waiting.clear();
}
window.addEventListener('pagehide', write);

export function forgetKept(id: string): void {
  if (!keptDrafts.get().has(id)) return;
  const rest = new Map(keptDrafts.get());
  rest.delete(id);
  keptDrafts.set(rest);
  void forgetInBrowser(keyOf(id));
}
