import { type Doc, type Edit, type KeptDoc, pairOf, type StoredNote, textOf, type Written } from './doc.ts';
import { goesOnFrom, merge, type Text } from './merge.ts';

export type Phase = 'new' | 'clean' | 'dirty' | 'sending' | 'unsure' | 'conflict' | 'refused';

export type Event =
  | { type: 'edited'; title?: string; content?: string; at: number }
  /** Time to save: after a pause, when the editor closes, when the server is back. */
  | { type: 'tick' }
  /** As `tick`, also after the server refused. */
  | { type: 'retry' }
  /** The page may end now. */
  | { type: 'hidden' }
  /** The server has this note, after `sent` was sent. If it is another text, `sent` changed nothing. */
  | { type: 'answered'; sent: Written; note: StoredNote }
  | { type: 'lost'; sent: Edit; error: unknown; waitMs?: number | undefined }
  | { type: 'refused'; sent: Edit; error: unknown; isPlaceGone: boolean }
  /** No person is signed in, or another one. The text waits for its writer. */
  | { type: 'signedOut'; sent: Edit; error: unknown }
  /** The note was read again. */
  | { type: 'remote'; note: StoredNote }
  /** After a conflict. The text that is not chosen stays as a version. */
  | { type: 'resolve'; keep: 'mine' | 'theirs' | 'both'; session: string };

export type Effect =
  /** Keep the text in the browser: soon, or before anything else happens. */
  | { type: 'persist'; now: boolean }
  /** The browser need not keep this text any longer. */
  | { type: 'forget' }
  /** Without the content if that has not changed: a new title does not end the transcript's text. */
  | { type: 'send'; text: Written; baseRevision: number | undefined; keepsContent: boolean }
  /** The text on the screen now has changes of this note. */
  | { type: 'merged'; note: StoredNote }
  | { type: 'wake'; ms: number };

type Step = { doc: Doc; effects: Effect[] };

const pauseMs = 900;
/** How often to save while someone types without a pause. */
const longestMs = 8_000;
const retryMs = 1_000;
const longestRetryMs = 5_000;

export function phaseOf(doc: Doc): Phase {
  if (doc.theirs) return 'conflict';
  if (doc.problem?.isRefusal) return 'refused';
  if (doc.flying.length > 0) return 'sending';
  if (doc.problem) return 'unsure';
  if (isClean(doc)) return doc.id === null ? 'new' : 'clean';
  return isBlankNew(doc) ? 'new' : 'dirty';
}

/** The only place that decides what a note's text is, and what is sent and kept of it. It does nothing itself. */
export function step(doc: Doc, event: Event): Step {
  switch (event.type) {
    case 'edited':
      return edited(doc, event);
    case 'tick':
      return send(doc);
    case 'retry':
      return send({ ...doc, problem: undefined });
    case 'hidden':
      return hidden(doc);
    case 'answered':
      return answered(doc, event.sent, event.note);
    case 'lost': {
      const failures = doc.failures + 1;
      const waitMs = event.waitMs ?? Math.min(longestRetryMs, retryMs * 2 ** (failures - 1));
      const problem = { error: event.error, isRefusal: false };
      return {
        doc: { ...landed(doc, event.sent), problem, failures },
        effects: [{ type: 'wake', ms: waitMs }],
      };
    }
    case 'signedOut':
      return {
        doc: { ...landed(doc, event.sent), problem: { error: event.error, isRefusal: false } },
        effects: [{ type: 'persist', now: true }],
      };
    case 'refused':
      return refused(landed(doc, event.sent), event);
    case 'remote':
      return remote(doc, event.note);
    case 'resolve':
      return resolve(doc, event.keep, event.session);
  }
}

function refused(doc: Doc, { sent, error, isPlaceGone }: Extract<Event, { type: 'refused' }>): Step {
  const persist: Effect = { type: 'persist', now: true };
  if (doc.id === null && isPlaceGone && (doc.folderId !== undefined || doc.spaceId !== undefined)) {
    const home = { ...doc, folderId: undefined, spaceId: undefined, lostPlace: true };
    return { doc: home, effects: [persist, { type: 'wake', ms: 0 }] };
  }
  // The text that was to create the note, or to become a version, may be the reason. The next one may be accepted.
  const ahead = doc.id === null ? [] : doc.ahead.filter((text) => !isSame(text, sent));
  const isOver = ahead.length < doc.ahead.length && doc.id !== null;
  if (isOver) return { doc: { ...doc, ahead }, effects: [persist, { type: 'wake', ms: 0 }] };
  return { doc: { ...doc, ahead, problem: { error, isRefusal: true } }, effects: [persist] };
}

function edited(
  doc: Doc,
  {
    title = doc.mine.title,
    content = doc.mine.content,
    at,
  }: { title?: string; content?: string; at: number },
): Step {
  const unsavedSince = doc.unsavedSince ?? at;
  const problem = doc.problem?.isRefusal ? undefined : doc.problem;
  const next = { ...withText(doc, { title, content }), unsavedSince, problem };
  const ms = Math.max(0, Math.min(pauseMs, unsavedSince + longestMs - at));
  const effects: Effect[] = [{ type: 'persist', now: false }];
  if (!next.theirs && !next.problem) effects.push({ type: 'wake', ms });
  return { doc: next, effects };
}

/** A text of its own has a name of its own. */
function withText(doc: Doc, text: Text): Doc {
  if (doc.mine.session === doc.session)
    return { ...doc, mine: { ...text, session: doc.session, seq: doc.mine.seq + 1 } };
  return { ...doc, earlier: [...doc.earlier, doc.mine], mine: { ...text, session: doc.session, seq: 1 } };
}

/** One save at a time. */
function send(doc: Doc): Step {
  if (doc.flying.length > 0 || !isWaiting(doc)) return { doc, effects: [] };
  if (isBlankNew(doc)) return { doc, effects: [{ type: 'forget' }] };
  const { next, text } = takingOff(doc, doc.ahead[0] ?? doc.mine);
  const sent = { ...next, unsavedSince: undefined };
  return { doc: sent, effects: [{ type: 'persist', now: true }, sendOf(sent, text)] };
}

/** Also while a save is running: the page may not live to see its answer. */
function hidden(doc: Doc): Step {
  if (isClean(doc)) return { doc, effects: [] };
  if (isBlankNew(doc)) return { doc, effects: [{ type: 'forget' }] };
  const persist: Effect = { type: 'persist', now: true };
  const wanted = doc.id === null && doc.flying.length > 0 ? doc.mine : (doc.ahead[0] ?? doc.mine);
  const isOnItsWay = doc.flying.some((edit) => isSame(edit, wanted));
  if (!isWaiting(doc) || isOnItsWay) return { doc, effects: [persist] };
  const { next, text } = takingOff(doc, wanted);
  return { doc: next, effects: [persist, sendOf(next, text)] };
}

/** The text that creates a note is sent until it is answered, so that it is known what others went on from. */
function takingOff(doc: Doc, text: Written) {
  const ahead = doc.id === null && doc.ahead.length === 0 ? [text] : doc.ahead;
  return { next: { ...doc, ahead, flying: [...doc.flying, pairOf(text)] }, text };
}

const sendOf = (doc: Doc, text: Written): Effect => ({
  type: 'send',
  text,
  baseRevision: doc.base?.revision,
  keepsContent: doc.base?.content === text.content,
});

function answered(before: Doc, sent: Written, note: StoredNote): Step {
  const isNew = before.id === null;
  const ahead = isNew ? [] : before.ahead;
  const doc = { ...landed(before, sent), id: note.id, ahead, ...withoutProblem };
  // An answer that another one overtook.
  if (doc.base && note.revision < doc.base.revision) return continued(doc, []);
  const isStored = isSame(note.edit, sent) || isSameText(textOf(note), sent);
  const next = isStored
    ? accepted(doc, sent, note)
    : reconciled(doc, note, wasUnsure(before) || before.flying.length > 1, before.ahead[0]);
  return continued(next.doc, next.effects);
}

function accepted(doc: Doc, sent: Edit, note: StoredNote): Step {
  const isLast = isSame(doc.mine, sent);
  const next: Doc = {
    ...doc,
    base: { ...textOf(note), revision: note.revision },
    stored: isLast ? pairOf(doc.mine) : doc.stored,
    ahead: doc.ahead.filter((text) => !isSame(text, sent)),
    earlier: isLast ? [] : doc.earlier,
    theirs: null,
    ...withoutProblem,
  };
  return { doc: next, effects: [isClean(next) ? { type: 'forget' } : { type: 'persist', now: true }] };
}

/** After an answer: takes what came meanwhile, and sends what was written meanwhile. */
function continued(doc: Doc, effects: Effect[]): Step {
  if (doc.flying.length > 0) return { doc, effects };
  const { later } = doc;
  const taken = later ? remote({ ...doc, later: null }, later) : { doc, effects: [] };
  const ms = doc.unsavedSince === undefined || taken.doc.ahead.length > 0 ? 0 : pauseMs;
  const wake: Effect[] = isWaiting(taken.doc) ? [{ type: 'wake', ms }] : [];
  return { doc: taken.doc, effects: [...effects, ...taken.effects, ...wake] };
}

/** The server has a text that is not the one just sent. `created` is the text that the note began with. */
function reconciled(doc: Doc, note: StoredNote, mayBeMine: boolean, created?: Text): Step {
  const theirs = textOf(note);
  const base = { ...theirs, revision: note.revision };
  const persist: Effect = { type: 'persist', now: true };
  if (note.edit && (isSame(doc.mine, note.edit) || isSame(doc.ahead[0] ?? null, note.edit)))
    return accepted(doc, note.edit, note);
  const own = [doc.mine, ...doc.earlier].find(({ session }) => session === note.edit?.session);
  // An earlier text of this very note: what is on the screen goes on from it.
  if (own && (note.edit?.seq ?? 0) <= own.seq)
    return { doc: { ...doc, base, theirs: null }, effects: [persist] };
  // If its page wrote on after the text that was found here, both go on from that one.
  // In a tab that was duplicated before its note was saved, another text may have made the note.
  const made = created && goesOnFrom(theirs, created) ? created : undefined;
  const from = own ?? doc.base ?? made ?? { title: '', content: '' };
  const { text, overlaps } = merge(from, doc.mine, theirs, mayBeMine);
  if (overlaps) {
    const known = doc.base ?? { ...textOf(from), revision: 0 };
    return { doc: { ...doc, base: known, theirs: note }, effects: [persist] };
  }
  const isNews = !isSameText(text, doc.mine);
  const merged = { ...(isNews ? withText(doc, text) : doc), base, theirs: null };
  const news: Effect[] = isNews ? [{ type: 'merged', note }] : [];
  if (doc.ahead.length > 0 || !isSameText(text, theirs)) return { doc: merged, effects: [persist, ...news] };
  const clean = { ...merged, stored: pairOf(merged.mine), earlier: [], ...withoutProblem };
  return { doc: clean, effects: [{ type: 'forget' }, ...news] };
}

function remote(doc: Doc, note: StoredNote): Step {
  const known = Math.max(doc.base?.revision ?? 0, doc.theirs?.revision ?? 0);
  if (doc.id === null || note.revision <= known) return { doc, effects: [] };
  if (doc.flying.length > 0) {
    const isNewer = note.revision > (doc.later?.revision ?? 0);
    return { doc: isNewer ? { ...doc, later: note } : doc, effects: [] };
  }
  if (!isClean(doc)) {
    const next = reconciled(doc, note, wasUnsure(doc));
    const wake: Effect[] = isWaiting(next.doc) ? [{ type: 'wake', ms: pauseMs }] : [];
    return { doc: next.doc, effects: [...next.effects, ...wake] };
  }
  const text = textOf(note);
  const isNews = !isSameText(text, doc.mine);
  const base = { ...text, revision: note.revision };
  const mine = { ...text, session: doc.session, seq: doc.mine.session === doc.session ? doc.mine.seq : 0 };
  const next = isNews ? { ...doc, base, mine, stored: pairOf(mine) } : { ...doc, base };
  return { doc: next, effects: [] };
}

/**
 * The server keeps a version of a text when another session replaces it. So my text is stored first, which makes theirs a
 * version, and then the chosen one in a new session, which makes mine a version too.
 */
function resolve(doc: Doc, keep: 'mine' | 'theirs' | 'both', session: string): Step {
  const { theirs } = doc;
  if (!theirs) return { doc, effects: [] };
  const base = { ...textOf(theirs), revision: theirs.revision };
  const decided = { ...doc, base, theirs: null, problem: undefined };
  if (keep === 'mine') return send(decided);
  const from = doc.base ?? { title: '', content: '' };
  const text = keep === 'theirs' ? textOf(theirs) : merge(from, doc.mine, base).text;
  // What the server refused cannot become a version.
  const ahead = doc.problem?.isRefusal ? doc.ahead : [...doc.ahead, doc.mine];
  return send(withText({ ...decided, session, ahead }, text));
}

/** A save of this text may have arrived, and another page may have gone on from it. */
const wasUnsure = ({ failures, earlier, mine, session }: Doc) =>
  failures > 0 || earlier.length > 0 || mine.session !== session;

/** The server has the text, even if its answer was lost. */
const withoutProblem = { problem: undefined, failures: 0 };

const landed = (doc: Doc, sent: Edit): Doc => ({
  ...doc,
  flying: doc.flying.filter((edit) => !isSame(edit, sent)),
});

/** Whether the server has everything. */
export const isClean = ({ mine, stored, ahead }: KeptDoc) => isSame(stored, mine) && ahead.length === 0;

/** Whether there is something to send, and it may be accepted. */
const isWaiting = (doc: Doc) =>
  !doc.theirs &&
  !doc.problem?.isRefusal &&
  // The text that it was made from is not known until the note is read again.
  (doc.id === null || doc.base !== null) &&
  !isClean(doc);

/** Nothing is written yet, so there is nothing to save. */
const isBlankNew = ({ id, ahead, mine }: Doc) =>
  id === null && ahead.length === 0 && `${mine.title}${mine.content}`.trim() === '';

export const isSame = (one: Edit | null, other: Edit | null) =>
  one !== null && one.session === other?.session && one.seq === other.seq;
const isSameText = (one: Text, other: Text) =>
  one.content === other.content && one.title.trim() === other.title.trim();
