import { randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import {
  type AskedAnswer,
  type Conversation,
  checkAnswer,
  choosePassages,
  keysOf,
  maxTurns,
  nothingFound,
  type Passage,
  passageText,
  type Turn,
  type Unit,
  unitsOf,
} from '../domain/ask.ts';
import { AppError, notFound } from '../domain/errors.ts';
import { asData, dataRule, estimateTokens, isRefusal, WriterFailed } from '../domain/language.ts';
import { reachOf } from '../domain/owner.ts';
import { type Page, type PageOptions, pageQuery, toPage } from '../domain/page.ts';
import type { Principal } from '../domain/principal.ts';
import type { NewId } from '../lib/uuid.ts';
import type { Clock } from '../ports/clock.ts';
import type { Store } from '../ports/store.ts';
import type { LanguageWriter, WriterMessage } from '../ports/writer.ts';
import type { Notes } from './notes.ts';
import { createPlacesOfPeople } from './places-of-people.ts';

export interface Question {
  question: string;
  folder_id?: string | undefined;
  space_id?: string | undefined;
  since?: string | undefined;
  until?: string | undefined;
  conversation_id?: string | undefined;
  /** False: nothing is stored. */
  keep?: boolean;
}

export type FinalAnswer = AskedAnswer & { conversation_id: string | null };
export type Ask = ReturnType<typeof createAsk>;

interface Dependencies {
  store: Store;
  notes: Notes;
  writer: LanguageWriter;
  clock: Clock;
  newId: NewId;
}

const maxNotes = 8;
const turnsTold = 3;
const answerTokens = 800;
/** Of the window, for the rules, the question and a bit of room. */
const otherTokens = 500;
/** More passages make small models worse, and slower: 12 of them have about this size. */
const mostPassageTokens = 3_000;
const charactersPerToken = 3;
const titleLength = 120;
const unitsPerTurn = 50;
const notFoundMark = 'NOT FOUND';
// A phrase in quotes must be in a note. In a question, quotes are only punctuation.
const quotes = /["“”„«»＂]/g;

const rules = (mark: string) =>
  `Answer a question from passages of the person's own notes.
Use nothing but the passages. After each sentence write the number of the passage that says it, such as [2].
If the passages do not answer the question, write ${notFoundMark} and nothing else. Never guess.
Answer in the language of the question, in a few plain sentences. Keep names, numbers and dates as they are.
${dataRule(mark)}`;

export function createAsk({ store, notes, writer, clock, newId }: Dependencies) {
  const places = createPlacesOfPeople({ name: 'questions', most: 2 });
  const now = () => new Date(clock()).toISOString();

  /** Raises `not_found`, also for a conversation about a space that the person has left. */
  async function conversationOf(principal: Principal, id: string) {
    const found = await store.conversations.get(reachOf(principal), id);
    if (!found) throw notFound('Conversation');
    return found;
  }

  /** Units of the notes that search finds best. A long note is looked at in small turns of the event loop. */
  async function unitsFor(principal: Principal, asked: Question, query: string, signal: AbortSignal) {
    const { folder_id, space_id, since, until } = asked;
    const search = { query, limit: maxNotes, highlights: false, folder_id, space_id, since, until };
    const { data } = await notes.search(principal, search, signal);
    const units: { unit: Unit; keys: Set<string> }[] = [];
    for (const { id } of data) {
      const note = await notes.get(principal, id).catch((cause: unknown) => {
        // Deleted since it was found.
        if (cause instanceof AppError && cause.code === 'not_found') return undefined;
        throw cause;
      });
      for (const unit of note ? unitsOf(note) : []) {
        units.push({
          unit,
          keys: keysOf(`${unit.note.title ?? ''} ${unit.parts.map(({ text }) => text).join(' ')}`),
        });
        if (units.length % unitsPerTurn === 0) await setImmediate(undefined, { signal });
      }
    }
    return units;
  }

  async function* write(
    principal: Principal,
    question: string,
    passages: readonly Passage[],
    history: readonly WriterMessage[],
    signal: AbortSignal,
  ): AsyncGenerator<string> {
    const mark = randomUUID();
    const data = asData(passages.map(passageText).join('\n\n'), mark);
    const content = `${data}\n\nQuestion: ${question}`;
    yield* textsOf(
      writer.write({
        userId: principal.userId,
        purpose: 'long',
        system: rules(mark),
        messages: [...history, { role: 'user', content }],
        maxTokens: answerTokens,
        signal,
      }),
    );
  }

  async function keep(
    principal: Principal,
    known: Conversation | undefined,
    asked: Question,
    answer: AskedAnswer,
  ): Promise<string | null> {
    if (principal.kind === 'workspace' || asked.keep === false) return null;
    const at = now();
    const begun: Conversation = known ?? {
      id: newId(),
      space_id: asked.space_id ?? null,
      title: Array.from(asked.question).slice(0, titleLength).join(''),
      created_at: at,
      updated_at: at,
    };
    const { id, space_id, title, created_at } = begun;
    const conversation = { id, space_id, title, created_at, updated_at: at, isNew: known === undefined };
    const turn: Turn = { question: asked.question, created_at: at, ...answer };
    return (await store.conversations.add(principal.userId, conversation, turn)) ? id : null;
  }

  /**
   * What is left of the answer after its citations are checked; `tell` gets it as it is written. Raises what search raises,
   * WriterFailed, `forbidden`, `quota_exceeded`, the reason of the signal, and `concurrency_limit` for a third question at a time.
   */
  async function answer(
    principal: Principal,
    given: Question,
    signal: AbortSignal,
    tell: (text: string) => Promise<void> = async () => {},
  ): Promise<FinalAnswer> {
    if (!writer.isOn) throw new WriterFailed('off');
    const leave = places.enter(principal.userId);
    try {
      const known =
        given.conversation_id === undefined
          ? undefined
          : await conversationOf(principal, given.conversation_id);
      if (known && given.space_id !== undefined && given.space_id !== known.space_id)
        throw new AppError('validation_error', 'space_id must be left out, or that of the conversation.');
      if (known && known.turns.length >= maxTurns)
        throw new AppError(
          'limit_reached',
          `A conversation has at most ${maxTurns} questions; begin another.`,
        );
      const asked = { ...given, space_id: known?.space_id ?? given.space_id };
      const turns = known?.turns.slice(-turnsTold) ?? [];
      const history = turns.flatMap(({ question, answer }): WriterMessage[] => [
        { role: 'user', content: question },
        { role: 'assistant', content: answer },
      ]);
      // "And when is it due?" has no word of its own to search for.
      const query = [asked.question, turns.at(-1)?.question ?? ''].join(' ').replace(quotes, ' ');
      const { window } = await writer.status();
      const told = history.reduce(
        (sum, { content }) => sum + estimateTokens(content),
        estimateTokens(asked.question),
      );
      const room = Math.min(mostPassageTokens, window - answerTokens - otherTokens - told);
      if (room <= 0) throw new WriterFailed('too long');
      const units = await unitsFor(principal, asked, query, signal);
      const passages = choosePassages(units, query, room * charactersPerToken);
      let written = '';
      let sent = 0;
      // Without a passage the model is not even asked.
      if (passages.length > 0)
        for await (const text of write(principal, asked.question, passages, history, signal)) {
          written += text;
          const isSaying = notFoundMark.startsWith(written.trimStart().slice(0, notFoundMark.length));
          if (isSaying) continue;
          await tell(written.slice(sent));
          sent = written.length;
        }
      const isAnswer = !written.trimStart().startsWith(notFoundMark) && !isRefusal(written);
      const checked = isAnswer ? checkAnswer(written, passages) : nothingFound;
      signal.throwIfAborted();
      return { ...checked, conversation_id: await keep(principal, known, asked, checked) };
    } finally {
      leave();
    }
  }

  return {
    isOn: writer.isOn,
    answer,

    /** Raises `validation_error` for a bad cursor. */
    async list(principal: Principal, options: PageOptions): Promise<Page<Conversation>> {
      const rows = await store.conversations.list(reachOf(principal), pageQuery('conversations', options));
      return toPage('conversations', rows, options.limit);
    },

    get: conversationOf,

    /** Raises `not_found`. */
    async remove(principal: Principal, id: string): Promise<void> {
      if (!(await store.conversations.remove(reachOf(principal), id))) throw notFound('Conversation');
    },
  };
}

async function* textsOf(parts: ReturnType<LanguageWriter['write']>): AsyncGenerator<string> {
  for await (const part of parts) if (part.kind === 'text') yield part.text;
}
