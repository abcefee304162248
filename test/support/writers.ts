import {
  type Doc,
  type Edit,
  type KeptDoc,
  keptOf,
  newDoc,
  recovered,
  type StoredNote,
} from '../../web/src/notes/doc.ts';
import { type Effect, type Event, isClean, step } from '../../web/src/notes/document.ts';
import type { seededRandom } from './random.ts';

type Random = ReturnType<typeof seededRandom>;
type Sending = Extract<Effect, { type: 'send' }>;
type Answer = Extract<Event, { type: 'answered' | 'lost' }>;

/** The notes of a server that follows the contract, as far as their text is concerned. */
export class NoteServer {
  readonly notes = new Map<string, StoredNote>();
  readonly versions: StoredNote[] = [];

  /** The note as it is after the request. */
  take(key: string, { text, baseRevision, keepsContent }: Sending): StoredNote {
    const edit = { session: text.session, seq: text.seq };
    const note = this.notes.get(key);
    const { title } = text;
    const content = note && keepsContent ? note.content : text.content;
    if (!note) {
      const by = { edited_by: null, edited_with: null, edited_at: null };
      const made = { id: key, revision: 1, title: title.trim() === '' ? null : title, content, edit, ...by };
      this.notes.set(key, made);
      return made;
    }
    // A create with a known client_note_id, a repeated edit, a stale base.
    if (baseRevision === undefined || isSame(note.edit, edit) || baseRevision !== note.revision) return note;
    if (note.content === content && (note.title ?? '') === title) return note;
    const goes = note.content.length - content.length > note.content.length / 3;
    if (note.edit?.session !== edit.session || goes) this.versions.push(note);
    const isTranscript = note.content_is_transcript === true && content === note.content;
    const changed = {
      ...note,
      title,
      content,
      content_is_transcript: isTranscript,
      edit,
      revision: note.revision + 1,
    };
    this.notes.set(key, changed);
    return changed;
  }

  /** Everything that can still be read. */
  texts(): string {
    return [...this.notes.values(), ...this.versions]
      .map(({ title, content }) => `${title} ${content}`)
      .join(' ');
  }
}

const isSame = (one: Edit | null, other: Edit) => one?.session === other.session && one.seq === other.seq;

/** A page of a console with one note, on a network that loses, delays and repeats, in a browser that may be killed. */
export class Writer {
  doc: Doc;
  /** What the browser keeps when its page is gone. */
  kept: KeptDoc | undefined;
  /** Words that the server acknowledged to this writer, or that the browser kept for them. */
  readonly safe = new Set<string>();
  readonly deleted = new Set<string>();
  conflicts = 0;
  merges = 0;
  #sessions = 0;
  #words = 0;
  readonly #requests: Sending[] = [];
  readonly #answers: Answer[] = [];
  readonly #name: string;
  readonly #key: string;
  readonly #server: NoteServer;
  readonly #random: Random;

  constructor(name: string, key: string, server: NoteServer, random: Random) {
    this.#name = name;
    this.#key = key;
    this.#server = server;
    this.#random = random;
    this.doc = newDoc({ key, session: this.#session(), note: server.notes.get(key) });
  }

  #session(): string {
    this.#sessions += 1;
    return `${this.#name}${this.#sessions}`;
  }

  #chance = (percent: number) => this.#random.between(1, 100) <= percent;

  /** False when the browser was killed between two effects. */
  take(event: Event, killPercent = 0): boolean {
    const before = this.doc.theirs;
    const { doc, effects } = step(this.doc, event);
    this.doc = doc;
    if (doc.theirs && !before) this.conflicts += 1;
    for (const effect of effects) {
      if (this.#chance(killPercent)) {
        this.kill();
        return false;
      }
      if (effect.type === 'persist' && (effect.now || this.#chance(70))) this.#keep();
      if (effect.type === 'forget') this.kept = undefined;
      if (effect.type === 'send') this.#requests.push(effect);
      if (effect.type === 'merged') this.merges += 1;
    }
    return true;
  }

  #keep(): void {
    this.kept = keptOf(this.doc);
    for (const text of [this.kept.mine, ...this.kept.ahead])
      for (const word of wordsOf(text)) this.safe.add(word);
  }

  /** The page is gone, and opened again. What it sent may still arrive; no answer reaches it. */
  kill(): void {
    this.#answers.length = 0;
    const session = this.#session();
    const note = this.#server.notes.get(this.#key);
    this.doc = this.kept ? recovered(this.kept, session) : newDoc({ key: this.#key, session, note });
    if (note) this.take({ type: 'remote', note });
  }

  edit(): void {
    this.#words += 1;
    const word = `${this.#name}${this.#words}`;
    const lines = this.doc.mine.content.split('\n');
    const at = this.#random.between(0, lines.length - 1);
    const words = (lines[at] ?? '').split(' ');
    const place = this.#random.between(0, words.length);
    // Both often replace the first word, which is a question.
    if (this.#chance(30)) {
      const first = lines[0]?.split(' ') ?? [];
      if (first[0]) this.deleted.add(first[0]);
      lines[0] = [word, ...first.slice(1)].join(' ');
      return void this.take({ type: 'edited', content: lines.join('\n'), at: 0 }, 1);
    }
    if (this.#chance(10) && words.length > 1) {
      const [gone] = words.splice(Math.min(place, words.length - 1), 1);
      if (gone) this.deleted.add(gone);
    } else words.splice(place, 0, word);
    lines[at] = words.join(' ').trim();
    if (this.#chance(20)) lines.splice(at + 1, 0, `${word}line`);
    const title = this.#chance(5) ? { title: `${this.doc.mine.title} ${word}title`.trim() } : {};
    this.take({ type: 'edited', content: lines.join('\n'), ...title, at: 0 }, 1);
  }

  /** One thing happens on the network. */
  network(lossPercent: number): void {
    const sent = this.#requests.splice(this.#random.between(0, this.#requests.length), 1)[0];
    if (sent) {
      if (this.#chance(10) && lossPercent > 0) this.#requests.push(sent);
      const isLost = this.#chance(lossPercent);
      const note = isLost ? undefined : this.#server.take(this.#key, sent);
      this.#answers.push(
        note && !this.#chance(lossPercent)
          ? { type: 'answered', sent: sent.text, note }
          : { type: 'lost', sent: sent.text, error: 'lost' },
      );
    }
    const answer = this.#answers.splice(this.#random.between(0, this.#answers.length), 1)[0];
    if (!answer) return;
    if (answer.type === 'answered' && isSame(answer.note.edit, answer.sent))
      for (const word of wordsOf(answer.note)) this.safe.add(word);
    this.take(answer, lossPercent > 0 ? 2 : 0);
  }

  refresh(): void {
    const note = this.#server.notes.get(this.#key);
    if (note) this.take({ type: 'remote', note });
  }

  resolve(): void {
    const keep = (['mine', 'theirs', 'both'] as const)[this.#random.between(0, 2)] ?? 'both';
    this.take({ type: 'resolve', keep, session: this.#session() }, 2);
  }

  get isQuiet(): boolean {
    const { doc } = this;
    const isSent = this.#requests.length + this.#answers.length + doc.flying.length === 0;
    return isSent && isClean(doc) && doc.ahead.length === 0 && !doc.theirs;
  }
}

export const wordsOf = ({ title, content }: { title: string | null; content: string }): string[] =>
  `${title ?? ''} ${content}`.split(/\s+/).filter(Boolean);
