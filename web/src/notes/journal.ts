import { type Doc, type Entry, type KeptDoc, keptOf } from './doc.ts';
import { pause, type Shell } from './shell.ts';

const everyMs = 100;
const maxTailChars = 50_000;
/** A page that is just being left, as in a reload, needs a moment. */
const leavingMs = 500;

export type Journal = ReturnType<typeof createJournal>;

/** The texts of one person that the server may not have, in the browser's storage. */
export function createJournal({ person, storage, locks, clock, newId }: Shell) {
  const page = newId();
  const letGo = locks.hold(page);
  /** What was recovered is kept in its old place until its text is safe in the new one. */
  const oldPlaces = new Map<string, string[]>();
  const waiting = new Map<string, Doc>();
  let stopTimer: (() => void) | undefined;
  let isOver = false;

  const placeOf = (doc: Doc) => `${person}/draft/${doc.key}/${doc.session}`;
  const entryOf = (doc: Doc): Entry => ({ at: placeOf(doc), page, time: clock.now(), doc: keptOf(doc) });

  function leaveOldPlace(doc: Doc): void {
    const old = oldPlaces.get(placeOf(doc)) ?? [];
    oldPlaces.delete(placeOf(doc));
    for (const place of old) forgetPlace(place);
  }
  function forgetPlace(place: string): void {
    void storage.forget(place);
    storage.forgetTail(place);
  }

  async function write(): Promise<void> {
    const docs = [...waiting.values()];
    waiting.clear();
    await Promise.all(
      docs.map(async (doc) => {
        const isKept = await storage.keep(placeOf(doc), entryOf(doc));
        if (isKept && !isOver) leaveOldPlace(doc);
      }),
    );
  }

  /** Keeps the text: now, or within a tenth of a second. A long note is not written again for every letter. */
  async function keep(doc: Doc, now: boolean): Promise<void> {
    if (isOver) return;
    const isFirst = waiting.size === 0 && stopTimer === undefined;
    waiting.set(placeOf(doc), doc);
    stopTimer ??= clock.after(everyMs, () => {
      stopTimer = undefined;
      if (waiting.size > 0) void write();
    });
    if (now || isFirst) await write();
  }

  const read = () => readJournal(storage, person, newId);
  return {
    placeOf,
    entryOf,
    keep,
    /** When the page may end, so that the text is there even if nothing else can finish. */
    keepBeforeEnd(doc: Doc): void {
      if (isOver) return;
      const entry = entryOf(doc);
      const whole = JSON.stringify(entry);
      const brief = () =>
        JSON.stringify({ ...entry, doc: { ...entry.doc, base: null, earlier: [], theirs: null } });
      const value = whole.length <= maxTailChars ? whole : brief();
      if (value.length <= maxTailChars) storage.keepTail(entry.at, value);
    },
    /** The server has the text. */
    forget(doc: Doc): void {
      if (isOver) return;
      const at = placeOf(doc);
      waiting.delete(at);
      leaveOldPlace(doc);
      forgetPlace(at);
    },
    /** From now on `doc` stands for the text of the entry. */
    replaces(doc: Doc, { at }: Pick<Entry, 'at'>): void {
      oldPlaces.set(placeOf(doc), [at, ...(oldPlaces.get(at) ?? [])]);
      oldPlaces.delete(at);
    },
    /** The text that another page of this browser has of this note. */
    async find(name: string): Promise<Entry | undefined> {
      return (await read()).find(({ page: by, doc }) => by !== page && (doc.id ?? doc.key) === name);
    },
    /**
     * The texts of other pages that are gone, each as soon as its page is. `recover` puts it into another place. The result
     * waits for all of them, but only a moment for a page that is still open.
     */
    async eachLeft(recover: (entry: Entry) => Promise<void>): Promise<void> {
      const ofOthers = (await read()).filter(({ page: by }) => by !== page);
      await Promise.all(
        ofOthers.map(async ({ at, page: by }) => {
          let isGone = false;
          const recovered = locks.whenFree(by, async () => {
            isGone = true;
            // Another page may have been faster, or the server has it now.
            const all = isOver ? [] : await read();
            const left = isOver ? undefined : all.find((entry) => entry.at === at);
            if (left && all.some((other) => goesOn(other.doc, left.doc))) forgetPlace(at);
            else if (left) await recover(left);
          });
          await Promise.race([recovered, pause(clock, leavingMs)]);
          if (isGone) await recovered;
        }),
      );
    },
    /** Nothing is written after this. */
    leave(): void {
      isOver = true;
      stopTimer?.();
      letGo();
    },
  };
}

/** A later text of the same opening, which two pages kept one after the other. */
const goesOn = (later: KeptDoc, { mine }: KeptDoc) =>
  later.mine.session === mine.session && later.mine.seq > mine.seq;

/** What this person's pages left behind in this browser, the newest first. With both a tail and an entry, the later text counts. */
export async function readJournal(
  storage: Pick<Shell['storage'], 'kept' | 'tails'>,
  person: string,
  newId: () => string,
): Promise<Entry[]> {
  const entries = new Map<string, Entry>();
  for (const kept of await storage.kept<Entry | OldDraft>(`${person}/draft/`)) {
    const entry = 'doc' in kept ? kept : fromOldDraft(kept, person, newId());
    entries.set(entry.at, entry);
  }
  for (const [, value] of storage.tails(`${person}/draft/`)) {
    const tail: Entry = JSON.parse(value);
    const entry = entries.get(tail.at);
    if (entry && !isLater(tail, entry)) continue;
    const base = tail.doc.base ?? entry?.doc.base ?? null;
    entries.set(tail.at, { ...tail, doc: { ...tail.doc, base } });
  }
  return [...entries.values()].sort((one, other) => (other.time ?? 0) - (one.time ?? 0));
}

/** A letter and the end of its page can be in one millisecond. Then the number of the text decides. */
function isLater(one: Entry, other: Entry): boolean {
  if (one.time !== other.time) return (one.time ?? 0) > (other.time ?? 0);
  return one.doc.mine.session === other.doc.mine.session && one.doc.mine.seq > other.doc.mine.seq;
}

/** As versions before this one kept it. */
interface OldDraft {
  id: string;
  title: string;
  content: string;
  updatedAt: string | undefined;
  folderId: string | undefined;
  spaceId: string | undefined;
}

function fromOldDraft(old: OldDraft, person: string, session: string): Entry {
  const { id, title, content, updatedAt, folderId, spaceId } = old;
  const mine = { title, content, session, seq: 1 };
  const noteId = updatedAt === undefined ? null : id;
  const rest = { base: null, stored: null, ahead: [], earlier: [], theirs: null };
  const doc: KeptDoc = { key: id, id: noteId, folderId, spaceId, mine, ...rest };
  return { at: `${person}/draft/${id}`, page: '', doc };
}
