import { randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { invalid, limitReached, notFound } from '../../domain/errors.ts';
import { asData, dataRule, estimateTokens, isRefusal, WriterFailed } from '../../domain/language.ts';
import type { WriterMessage } from '../../engines/ports/writer.ts';
import { authorize, orNothing } from '../../kernel/authorized.ts';
import type { CommandContext, StreamContext } from '../../kernel/context.ts';
import { ownsFolder } from '../../platform/database/owners.ts';
import { isShared } from '../spaces/queries.ts';
import { ownerOf } from '../workspaces/access.ts';
import {
  checkAnswer,
  choosePassages,
  keysOf,
  nothingFound,
  type Passage,
  passageText,
  type Unit,
  unitsOf,
} from './passages.ts';
import * as queries from './queries.ts';
import { type AskedAnswer, type Conversation, maxTurns, type Question, type Turn } from './schema.ts';

/** What answering needs of a stream; a command of the operator has it too. */
type Context = Pick<StreamContext, 'act' | 'db' | 'database' | 'who' | 'newId' | 'parts' | 'signal' | 'tell'>;

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

/** A conversation of the caller; also none about a space that they have left. */
export const ownConversation = authorize('Conversation', ({ db, who }, id) => queries.find(db, who, id));

/**
 * What is left of the answer after its citations are checked; `tell` gets it as it is written. Raises what search raises,
 * WriterFailed, `forbidden`, `quota_exceeded` and the reason of the signal. Without `keeps`, nothing is stored.
 */
export async function answerQuestion(context: Context, given: Question, keeps = true) {
  const { parts, signal, tell } = context;
  const { writer } = parts;
  if (!writer.isOn) throw new WriterFailed('off');
  const known = given.conversation_id === undefined ? undefined : await knownConversation(context, given);
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
  const units = await unitsFor(context, asked, query);
  const passages = choosePassages(units, query, room * charactersPerToken);
  let written = '';
  let sent = 0;
  // Without a passage the model is not even asked.
  if (passages.length > 0)
    for await (const text of write(context, asked.question, passages, history)) {
      written += text;
      const isSaying = notFoundMark.startsWith(written.trimStart().slice(0, notFoundMark.length));
      if (isSaying) continue;
      await tell(written.slice(sent));
      sent = written.length;
    }
  const isAnswer = !written.trimStart().startsWith(notFoundMark) && !isRefusal(written);
  const checked = isAnswer ? checkAnswer(written, passages) : nothingFound;
  signal.throwIfAborted();
  const isKept = keeps && context.who.kind !== 'workspace';
  const conversation_id = isKept ? await context.act((inside) => keep(inside, known, asked, checked)) : null;
  return { ...checked, conversation_id };
}

async function knownConversation(context: Context, { conversation_id = '', space_id }: Question) {
  const found = await ownConversation(context, conversation_id);
  if (space_id !== undefined && space_id !== found.space_id)
    throw invalid('space_id must be left out, or the space of the conversation.');
  const turns = await queries.turnsOf(context.db, found);
  if (turns.length >= maxTurns)
    throw limitReached(`A conversation has at most ${maxTurns} questions; begin another.`);
  return { ...found, turns };
}

/** Units of the notes that search finds best. A long note is looked at in small turns of the event loop. */
async function unitsFor(
  context: Context,
  { folder_id: folderId, space_id, since, until }: Question,
  query: string,
) {
  const { db, database, signal } = context;
  const { ownerId } = await ownerOf(context, space_id);
  if (folderId !== undefined && !(await ownsFolder(db, ownerId, folderId)))
    throw invalid('folder_id must be the id of one of your folders.');
  const search = { ownerId, query, limit: maxNotes, filter: { folderId, since, until } };
  const units: { unit: Unit; keys: Set<string> }[] = [];
  for (const note of await queries.searchNotes(database, search, signal))
    for (const unit of unitsOf(note)) {
      const texts = [unit.note.title ?? '', ...unit.parts.map(({ text }) => text)];
      units.push({ unit, keys: keysOf(texts.join(' ')) });
      if (units.length % unitsPerTurn === 0) await setImmediate(undefined, { signal });
    }
  return units;
}

async function* write(
  { who, parts, signal }: Context,
  question: string,
  passages: readonly Passage[],
  history: readonly WriterMessage[],
): AsyncGenerator<string> {
  const mark = randomUUID();
  const data = asData(passages.map(passageText).join('\n\n'), mark);
  const written = parts.writer.write({
    userId: who.userId,
    purpose: 'long',
    system: rules(mark),
    messages: [...history, { role: 'user', content: `${data}\n\nQuestion: ${question}` }],
    maxTokens: answerTokens,
    signal,
  });
  for await (const part of written) if (part.kind === 'text') yield part.text;
}

/** The id of the conversation; null if it or the account is gone. */
export async function keep(
  context: CommandContext,
  known: Conversation | undefined,
  { question, space_id }: Question,
  answer: AskedAnswer,
): Promise<string | null> {
  const { tx, database, who, newId, now } = context;
  if (!(await database.holdAccount(tx, who.userId))) return null;
  // Asked again in this transaction: the person may have left while the model answered.
  if (space_id !== undefined && !(await isShared(tx, who.userId, space_id))) throw notFound('Space');
  const turn: Turn = { question, created_at: now, ...answer };
  if (known) {
    const found = await orNothing(ownConversation(context, known.id));
    if (found) await queries.goOn(tx, found, turn);
    return found?.id ?? null;
  }
  const title = Array.from(question).slice(0, titleLength).join('');
  const made = { id: newId(), space_id: space_id ?? null, title, created_at: now, updated_at: now };
  await queries.begin(tx, who.userId, made, turn);
  return made.id;
}
