import { expect, test } from 'vitest';
import { type Doc, newDoc, recovered, type StoredNote } from '../../web/src/notes/doc.ts';
import { phaseOf, step } from '../../web/src/notes/document.ts';
import { merge } from '../../web/src/notes/merge.ts';
import { seededRandom } from '../support/random.ts';
import { NoteServer, Writer, wordsOf } from '../support/writers.ts';

const editsPerNote = 100;

/** People write, the network loses, delays and repeats, browsers are killed; at the end everything arrives. */
function write(seed: number, people: number): { server: NoteServer; writers: Writer[] } {
  const random = seededRandom(seed);
  const server = new NoteServer();
  const writers = [new Writer('a', 'note', server, random)];
  const lines = Array.from({ length: 20 }, (_, at) => `line${at}`).join('\n');
  writers[0]?.take({ type: 'edited', content: lines, at: 0 });
  const all = () => writers.map((writer) => [writer.doc, writer.kept]);
  for (let edits = 0; edits < editsPerNote; ) {
    const writer = writers[random.between(0, writers.length - 1)];
    const what = random.between(1, 100);
    // The others open the note when it is there.
    if (writers.length < people && server.notes.size > 0)
      writers.push(new Writer('bcd'[writers.length - 1] ?? '', 'note', server, random));
    if (!writer) break;
    if (what <= 40) {
      writer.edit();
      edits += 1;
    } else if (what <= 60) writer.take({ type: 'tick' }, 2);
    else if (what <= 85) writer.network(15);
    else if (what <= 87) writer.take({ type: 'hidden' }, 5);
    else if (what <= 89) writer.kill();
    else if (what <= 92) writer.refresh();
    else writer.resolve();
  }
  for (let rounds = 0; !writers.every(({ isQuiet }) => isQuiet); rounds += 1) {
    if (rounds > 500) throw new Error(`It never ends: ${JSON.stringify(all(), null, 1)}`);
    for (const writer of writers) {
      writer.take({ type: 'tick' });
      writer.network(0);
      writer.refresh();
      writer.resolve();
    }
  }
  for (const writer of writers) writer.refresh();
  return { server, writers };
}

const seeds = Array.from({ length: 100 }, (_, at) => at + 1);

test('of 10,000 edits by two writers, every word that was acknowledged or kept is in the note or in a version', () => {
  let [conflicts, merges, words] = [0, 0, 0];
  for (const seed of seeds) {
    const { server, writers } = write(seed, 2);
    const there = new Set(server.texts().split(/\s+/));
    const deleted = new Set(writers.flatMap((writer) => [...writer.deleted]));
    for (const writer of writers) {
      const gone = [...writer.safe].filter((word) => !there.has(word) && !deleted.has(word));
      expect({ seed, gone }).toEqual({ seed, gone: [] });
      expect(server.notes.size).toBe(1);
      expect(writer.doc.mine.content).toBe(server.notes.get('note')?.content);
      conflicts += writer.conflicts;
      merges += writer.merges;
      words += writer.safe.size;
    }
  }
  // The test is about these: without them it would show nothing.
  expect({ conflicts: conflicts > 100, merges: merges > 100, words: words > 3_000 }).toEqual({
    conflicts: true,
    merges: true,
    words: true,
  });
});

test('nobody is ever in conflict with themselves, and has each word once', () => {
  for (const seed of seeds) {
    const { server, writers } = write(seed, 1);
    expect({ seed, conflicts: writers[0]?.conflicts }).toEqual({ seed, conflicts: 0 });
    const words = [...server.notes.values()].flatMap(wordsOf);
    expect(words.length).toBe(new Set(words).size);
  }
});

const text = (content: string, title = '') => ({ title, content });

test('changes in different places are merged, by lines and by words', () => {
  expect(merge(text('one\ntwo\nthree'), text('one!\ntwo\nthree'), text('one\ntwo\nthree\nfour'))).toEqual({
    text: text('one!\ntwo\nthree\nfour'),
    overlaps: false,
  });
  expect(merge(text('the old red car'), text('the new red car'), text('the old red bus'))).toEqual({
    text: text('the new red bus'),
    overlaps: false,
  });
  expect(merge(text('a', 'Plan'), text('b', 'Plan'), text('a', 'Plan B'))).toEqual({
    text: text('b', 'Plan B'),
    overlaps: false,
  });
});

test('changes in one place are a question, and both texts are kept if one likes', () => {
  expect(merge(text('top\nplus'), text('top\nplus word'), text('top\nplus words'))).toEqual({
    text: text('top\nplus word\nplus words'),
    overlaps: true,
  });
});

test('a text that goes on from mine is taken, although I never heard that mine was saved', () => {
  const { text: merged, overlaps } = merge(text('plus'), text('plus word'), text('plus word and more'));
  expect({ merged, overlaps }).toEqual({ merged: text('plus word and more'), overlaps: false });
});

const note = (revision: number, content: string, edit: StoredNote['edit'] = null): StoredNote => ({
  id: 'n',
  revision,
  title: null,
  content,
  edit,
  edited_by: null,
  edited_with: null,
  edited_at: null,
});
const open = () => newDoc({ key: 'n', session: 's', note: note(1, 'one\ntwo') });
const typed = (doc: Doc, content: string) => step(doc, { type: 'edited', content, at: 0 }).doc;

test('a lost answer and one more letter is no conflict: the text that is stored is one of mine', () => {
  const sent = step(typed(open(), 'one\ntwo a'), { type: 'tick' }).doc;
  const lost = step(sent, { type: 'lost', sent: sent.mine, error: 'lost' }).doc;
  const again = step(typed(lost, 'one\ntwo ab'), { type: 'tick' });
  expect(again.effects).toMatchObject([{ type: 'persist' }, { type: 'send', baseRevision: 1 }]);
  const stale = note(2, 'one\ntwo a', { session: 's', seq: 1 });
  const { doc, effects } = step(again.doc, { type: 'answered', sent: again.doc.mine, note: stale });
  expect([phaseOf(doc), doc.mine.content]).toEqual(['dirty', 'one\ntwo ab']);
  expect(effects).toContainEqual({ type: 'wake', ms: 0 });
  expect(step(doc, { type: 'tick' }).effects).toMatchObject([{}, { type: 'send', baseRevision: 2 }]);
});

test('when the note itself shows that a lost save had arrived, nothing is wrong any longer', () => {
  const sent = step(typed(open(), 'one\ntwo a'), { type: 'tick' }).doc;
  const lost = step(sent, { type: 'lost', sent: sent.mine, error: 'lost' }).doc;
  expect(phaseOf(lost)).toBe('unsure');
  for (const edit of [{ session: 's', seq: 1 }, null])
    expect(phaseOf(step(lost, { type: 'remote', note: note(2, 'one\ntwo a', edit) }).doc)).toBe('clean');
});

test('a page that wakes up with an older text of its own takes the newer one', () => {
  const kept = recovered(typed(open(), 'one\ntwo a'), 'later');
  const { doc } = step(kept, { type: 'remote', note: note(2, 'one\ntwo abc', { session: 's', seq: 3 }) });
  expect([phaseOf(doc), doc.mine.content]).toEqual(['clean', 'one\ntwo abc']);
});

test('Use theirs stores mine first, so that both are versions, and writes on in a new session', () => {
  const mine = typed(open(), 'mine');
  const { doc } = step(mine, { type: 'remote', note: note(2, 'theirs', { session: 'other', seq: 1 }) });
  expect([phaseOf(doc), doc.mine.content]).toEqual(['conflict', 'mine']);
  const first = step(doc, { type: 'resolve', keep: 'theirs', session: 'new' });
  expect(first.effects).toMatchObject([{}, { type: 'send', text: { content: 'mine', session: 's' } }]);
  expect(first.doc.mine).toMatchObject({ content: 'theirs', session: 'new' });
  const stored = note(3, 'mine', { session: 's', seq: 1 });
  const second = step(first.doc, { type: 'answered', sent: doc.mine, note: stored });
  expect(step(second.doc, { type: 'tick' }).effects).toMatchObject([
    {},
    { type: 'send', text: { content: 'theirs', session: 'new' }, baseRevision: 3 },
  ]);
});

test('a note that is only what was said is empty to write in; a title alone leaves it so, a letter does not', () => {
  const voice = { ...note(1, 'What was said.'), content_is_transcript: true };
  const start = newDoc({ key: 'note', session: 's', note: voice });
  expect([phaseOf(start), start.mine.content]).toEqual(['clean', '']);
  const titled = step(step(start, { type: 'edited', title: 'T', at: 0 }).doc, { type: 'tick' });
  expect(titled.effects.at(-1)).toMatchObject({ type: 'send', keepsContent: true });
  const written = step(typed(start, 'a'), { type: 'tick' });
  expect(written.effects.at(-1)).toMatchObject({
    type: 'send',
    text: { content: 'a' },
    keepsContent: false,
  });
  // A correction elsewhere is no news for what people write.
  const corrected = { ...voice, revision: 2, content: 'What was really said.' };
  const after = step(typed(start, 'a'), { type: 'remote', note: corrected });
  expect([phaseOf(after.doc), after.doc.mine.content]).toEqual(['dirty', 'a']);
});

test('a new note whose folder is gone goes to the own notes, and says so', () => {
  const start = newDoc({ key: 'k', session: 's', folderId: 'gone' });
  const sent = step(typed(start, 'text'), { type: 'tick' }).doc;
  const error = 'unknown folder';
  const { doc } = step(sent, { type: 'refused', sent: sent.mine, error, isPlaceGone: true });
  expect([phaseOf(doc), doc.folderId, doc.lostPlace]).toEqual(['dirty', undefined, true]);
  const again = step(doc, { type: 'tick' });
  expect(again.effects.at(-1)).toMatchObject({ type: 'send', text: { content: 'text' } });
  // Without a place it is the text that is refused.
  const refused = step(again.doc, { type: 'refused', sent: sent.mine, error, isPlaceGone: true });
  expect(phaseOf(refused.doc)).toBe('refused');
});

test('a text that is refused and given up with Use theirs is not sent again for ever', () => {
  const theirs = note(2, 'theirs', { session: 'other', seq: 1 });
  const conflict = step(typed(open(), 'mine'), { type: 'remote', note: theirs }).doc;
  const chosen = step(conflict, { type: 'resolve', keep: 'theirs', session: 'new' }).doc;
  const given = { type: 'refused', sent: conflict.mine, error: 'too long', isPlaceGone: false } as const;
  const { doc, effects } = step(chosen, given);
  expect([phaseOf(doc), doc.ahead]).toEqual(['dirty', []]);
  expect(effects).toContainEqual({ type: 'wake', ms: 0 });
});

test('a text that was refused before the conflict is given up with Use theirs, and the other one is saved', () => {
  const sent = step(typed(open(), 'mine'), { type: 'tick' }).doc;
  const given = { type: 'refused', sent: sent.mine, error: 'too long', isPlaceGone: false } as const;
  const theirs = note(2, 'theirs', { session: 'other', seq: 1 });
  const conflict = step(step(sent, given).doc, { type: 'remote', note: theirs }).doc;
  expect(phaseOf(conflict)).toBe('conflict');
  const { doc, effects } = step(conflict, { type: 'resolve', keep: 'theirs', session: 'new' });
  expect([phaseOf(doc), doc.ahead]).toEqual(['sending', []]);
  expect(effects.at(-1)).toMatchObject({ type: 'send', text: { content: 'theirs', session: 'new' } });
});

test('a session that is over refuses no text: it is sent again after the next sign-in', () => {
  const sent = step(typed(open(), 'one\ntwo a'), { type: 'tick' }).doc;
  const out = step(sent, { type: 'signedOut', sent: sent.mine, error: 401 });
  expect([phaseOf(out.doc), out.effects]).toEqual(['unsure', [{ type: 'persist', now: true }]]);
  const more = typed(out.doc, 'one\ntwo ab');
  expect(step(more, { type: 'tick' }).effects.at(-1)).toMatchObject({ text: { content: 'one\ntwo ab' } });
});
