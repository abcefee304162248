import { after } from '../lib/after.ts';
import {
  forgetInBrowser,
  forgetTail,
  keepInBrowser,
  keepTail,
  keptInBrowser,
  keptTails,
} from '../lib/browser-storage.ts';
import { randomId } from '../lib/random-id.ts';
import { holdInTab, whenFreeInTabs } from '../lib/tab-locks.ts';
import { type Doc, type KeptDoc, keptOf } from './doc.ts';

/** A text that the server may not have, in the browser's storage. */
export interface Entry {
  /** Its place in the storage. */
  at: string;
  /** The page that writes it. */
  page: string;
  /** When it was kept. Versions before this one did not say so. */
  time?: number;
  doc: KeptDoc;
}

const page = randomId();
holdInTab(page);

const everyMs = 100;
const maxTailChars = 50_000;

let person = '';
/** What was recovered is kept in its old place until its text is safe in the new one. */
const oldPlaces = new Map<string, string[]>();
const waiting = new Map<string, Doc>();
let timer: ReturnType<typeof setTimeout> | undefined;

export const placeOf = (doc: Doc) => `${person}/draft/${doc.key}/${doc.session}`;
const entryOf = (doc: Doc): Entry => ({
  at: placeOf(doc),
  page,
  time: Date.now(),
  doc: keptOf(doc),
});

/** Whose texts the journal keeps and finds from now on. */
export function openJournal(userId: string): void {
  person = userId;
}

/** What this person's pages left behind in this browser, the newest first. With both a tail and an entry, the later text counts. */
async function readJournal(): Promise<Entry[]> {
  const entries = new Map<string, Entry>();
  for (const kept of await keptInBrowser<Entry | OldDraft>(`${person}/draft/`)) {
    const entry = 'doc' in kept ? kept : fromOldDraft(kept);
    entries.set(entry.at, entry);
  }
  for (const [, value] of keptTails(`${person}/draft/`)) {
    const tail: Entry = JSON.parse(value);
    const entry = entries.get(tail.at);
    if (entry && (entry.time ?? 0) >= (tail.time ?? 0)) continue;
    const base = tail.doc.base ?? entry?.doc.base ?? null;
    entries.set(tail.at, { ...tail, doc: { ...tail.doc, base } });
  }
  return [...entries.values()].sort((one, other) => (other.time ?? 0) - (one.time ?? 0));
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

function fromOldDraft({ id, title, content, updatedAt, folderId, spaceId }: OldDraft): Entry {
  const mine = { title, content, session: randomId(), seq: 1 };
  const noteId = updatedAt === undefined ? null : id;
  const rest = { base: null, stored: null, ahead: [], earlier: [], theirs: null };
  return {
    at: `${person}/draft/${id}`,
    page: '',
    doc: { key: id, id: noteId, folderId, spaceId, mine, ...rest },
  };
}

/** A page that is just being left, as in a reload, needs a moment. */
const leavingMs = 500;

/**
 * The texts of other pages that are gone, each as soon as its page is. `recover` puts it into another place. The result
 * waits for all of them, but only a moment for a page that is still open.
 */
export async function eachLeft(recover: (entry: Entry) => Promise<void>): Promise<void> {
  const ofOthers = (await readJournal()).filter(({ page: by }) => by !== page);
  await Promise.all(
    ofOthers.map(async ({ at, page: by }) => {
      let isGone = false;
      const recovered = whenFreeInTabs(by, async () => {
        isGone = true;
        // Another page may have been faster, or the server has it now.
        const left = (await readJournal()).find((entry) => entry.at === at);
        if (left) await recover(left);
      });
      await Promise.race([recovered, after(leavingMs)]);
      if (isGone) await recovered;
    }),
  );
}

/** The text that another page of this browser has of this note. */
export const findEntry = async (name: string): Promise<Entry | undefined> =>
  (await readJournal()).find(({ page: by, doc }) => by !== page && (doc.id ?? doc.key) === name);

/** From now on `doc` stands for the text of the entry. */
export function replaces(doc: Doc, { at }: Pick<Entry, 'at'>): void {
  oldPlaces.set(placeOf(doc), [at, ...(oldPlaces.get(at) ?? [])]);
  oldPlaces.delete(at);
}

/** Keeps the text: now, or within a tenth of a second. A long note is not written again for every letter. */
export async function keep(doc: Doc, now: boolean): Promise<void> {
  const isFirst = waiting.size === 0 && timer === undefined;
  waiting.set(placeOf(doc), doc);
  if (now || isFirst) await write();
  timer ??= setTimeout(() => {
    timer = undefined;
    if (waiting.size > 0) void write();
  }, everyMs);
}

async function write(): Promise<void> {
  const docs = [...waiting.values()];
  waiting.clear();
  await Promise.all(
    docs.map(async (doc) => {
      const isKept = await keepInBrowser(placeOf(doc), entryOf(doc));
      if (isKept) leaveOldPlace(doc);
    }),
  );
}

/** When the page may end, so that the text is there even if nothing else can finish. */
export function keepBeforeEnd(doc: Doc): void {
  const entry = entryOf(doc);
  const whole = JSON.stringify(entry);
  const brief = () =>
    JSON.stringify({ ...entry, doc: { ...entry.doc, base: null, earlier: [], theirs: null } });
  const value = whole.length <= maxTailChars ? whole : brief();
  if (value.length <= maxTailChars) void keepTail(entry.at, value);
}

/** The server has the text. */
export function forget(doc: Doc): void {
  const at = placeOf(doc);
  waiting.delete(at);
  leaveOldPlace(doc);
  void forgetInBrowser(at);
  void forgetTail(at);
}

function leaveOldPlace(doc: Doc): void {
  const old = oldPlaces.get(placeOf(doc)) ?? [];
  oldPlaces.delete(placeOf(doc));
  for (const place of old) {
    void forgetInBrowser(place);
    void forgetTail(place);
  }
}
