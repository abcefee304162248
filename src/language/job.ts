import { createHash, randomBytes } from 'node:crypto';
import { AppError, notFound } from '../domain/errors.ts';
import { estimateTokens, isRefusal, WriterFailed } from '../domain/language.ts';
import { type NoteChanges, type NoteWithTranscript, type StoredNote, unedited } from '../domain/note.ts';
import type { OwnerFilter } from '../domain/owner.ts';
import type { Plans } from '../domain/plans.ts';
import {
  cleanAnswer,
  isWholeText,
  pieces,
  type Source,
  sourceOf,
  systemPrompt,
  userPrompt,
  withRealTimes,
} from '../domain/prompt.ts';
import { revisionLimits } from '../domain/revision.ts';
import { JobLost } from '../lib/runner.ts';
import type { Signals } from '../lib/signals.ts';
import type { NewId } from '../lib/uuid.ts';
import type { Clock } from '../ports/clock.ts';
import type { ClaimedJob, LanguageQueue } from '../ports/language-store.ts';
import type { NoteStore, Writing } from '../ports/note-store.ts';
import type { LanguageWriter } from '../ports/writer.ts';

export interface JobDependencies {
  store: { notes: NoteStore; languageQueue: LanguageQueue };
  writer: LanguageWriter;
  plans: Plans;
  clock: Clock;
  newId: NewId;
  /** The text so far. */
  signals: Signals<string>;
}

/** A title needs the beginning of a text, not all of it. */
const mostTitleTokens = 2_000;
const mostAnswerTokens = 4_096;
/** Room for the marks and for what a server adds. */
const spareTokens = 200;
const smallestPieceTokens = 200;
/** Each time the notes on the pieces are a fraction of what they were. */
const mostRounds = 5;
const writtenWith = 'Language model';

/**
 * Writes what the job asks for. What was written about the pieces of a long text is stored at once, and the result with the
 * end of the job in one write: a killed server goes on, and nothing is written twice. Raises WriterFailed, `forbidden`,
 * `quota_exceeded`, `not_found` and `validation_error`, and then the note is as it was.
 */
export async function writeForNote(
  dependencies: JobDependencies,
  job: ClaimedJob,
  signal: AbortSignal,
): Promise<void> {
  const { store, writer, plans, clock, newId, signals } = dependencies;
  const { task } = job;
  const queue = store.languageQueue;
  const now = () => new Date(clock()).toISOString();
  const note = await store.notes.get(reachOf(job), job.note_id);
  if (!note) throw notFound('Note');
  const source = sourceOf(note);
  if (source.text.trim() === '')
    throw new AppError('validation_error', 'The note has no text to write about.');
  const { window } = await writer.status();
  const known = await queue.parts(job.id);
  let position = 0;

  try {
    const answer = await writeAll(source);
    const text = withRealTimes(cleanAnswer(task, answer), source.times);
    if (text === '') throw new WriterFailed('empty');
    if (isRefusal(text)) throw new WriterFailed('refused');
    const result =
      task.output === 'note' ? { newNote: newNote(note, text) } : { changes: changesBy(note, text) };
    if (!(await queue.settle(job, result, writing(), now()))) throw new JobLost();
  } finally {
    signals.setPartial(job.id, undefined);
  }

  async function writeAll({ text, times }: Source): Promise<string> {
    const hasTimes = times.size > 0;
    const system = (step: 'whole' | 'part' | 'sum') => (mark: string) =>
      systemPrompt(task, mark, step, hasTimes);
    const told = estimateTokens(system('part')('')) + spareTokens;
    if (task.output === 'title') {
      const [beginning = ''] = pieces(text, Math.min(mostTitleTokens, roomFor(window / 2 - told)));
      return ask(system('whole'), beginning, { purpose: 'short', maxTokens: mostTitleTokens });
    }
    if (isWholeText(task)) {
      // A translation may have twice as many tokens.
      const most = roomFor((window - told) / 3);
      const parts = pieces(text, most);
      let whole = '';
      for (const part of parts) {
        const before = whole === '' ? '' : `${whole}\n\n`;
        const options = { maxTokens: most * 2, before };
        const written = await kept(system('whole'), part, options, parts.length);
        whole = before + written.trim();
      }
      return whole;
    }
    const maxTokens = Math.min(mostAnswerTokens, Math.floor(window / 4));
    const most = roomFor(window - told - maxTokens);
    let material = text;
    for (let round = 0; estimateTokens(material) > most; round += 1) {
      if (round === mostRounds) throw new WriterFailed('too long');
      const parts = pieces(material, most);
      const notes: string[] = [];
      for (const part of parts)
        notes.push(await kept(system('part'), part, { maxTokens, isSilent: true }, parts.length + 1));
      material = notes.join('\n\n');
    }
    return ask(system(material === text ? 'whole' : 'sum'), material, { maxTokens });
  }

  /** Like `ask`, and stored. A piece that was written before is not asked for again. */
  async function kept(system: (mark: string) => string, text: string, options: AskOptions, of: number) {
    const at = position++;
    const asked_hash = sha256(`${system('')}\n${text}`);
    const before = known[at];
    if (before?.asked_hash === asked_hash) return before.text;
    const written = await ask(system, text, options);
    if (isRefusal(written)) throw new WriterFailed('refused');
    const progress = Math.min(0.99, (at + 1) / of);
    if (!(await queue.keep(job.id, { position: at, asked_hash, text: written }, progress, now())))
      throw new JobLost();
    return written;
  }

  async function ask(system: (mark: string) => string, text: string, options: AskOptions): Promise<string> {
    const { purpose = 'long', maxTokens, before = '', isSilent = false } = options;
    const mark = randomBytes(6).toString('hex');
    let answer = '';
    const parts = writer.write({
      userId: job.user_id,
      purpose,
      system: system(mark),
      messages: [{ role: 'user', content: userPrompt(text, mark) }],
      maxTokens: Math.ceil(maxTokens),
      signal,
    });
    for await (const part of parts) {
      if (part.kind === 'end' && part.reason === 'length') throw new WriterFailed('cut off');
      if (part.kind !== 'text') continue;
      answer += part.text;
      if (!isSilent) signals.setPartial(job.id, before + answer);
    }
    return answer;
  }

  function changesBy({ content }: NoteWithTranscript, text: string) {
    return (current: NoteWithTranscript): NoteChanges => {
      if (task.output === 'title')
        // Somebody may have typed one meanwhile.
        return job.automatic && current.title !== job.given_title ? {} : { title: text };
      const before = task.output === 'append' ? (current.enhanced_content?.trim() ?? '') : '';
      return {
        enhanced_content: task.output === 'append' ? joined(before, `## ${task.name}\n\n${text}`) : text,
        enhancement_template_id: task.id,
        enhancement_prompt: task.prompt,
        enhanced_at_content_hash: sha256(content),
      };
    };
  }

  function writing(): Writing {
    // What began together is one session, so that it leaves one revision. Its number must differ even within a millisecond.
    const seq = Number.parseInt(job.id.slice(-12), 16);
    const edit = job.automatic ? { session: `language ${job.created_at}`, seq } : null;
    return {
      by: { edit, edited_by: job.user_id, edited_with: writtenWith },
      limits: revisionLimits(newId(), plans[job.plan], clock()),
    };
  }

  function newNote({ content: asked }: NoteWithTranscript, text: string) {
    const at = now();
    const id = newId();
    return (from: NoteWithTranscript, ownerId: string): StoredNote => ({
      ...unedited,
      ...from,
      id,
      client_note_id: id,
      user_id: job.user_id,
      owner_id: ownerId,
      space_id: ownerId === job.user_id ? null : ownerId,
      title: from.title ? `${task.name}: ${from.title}` : task.name,
      content: text,
      content_is_transcript: false,
      enhanced_content: null,
      note_type: 'personal',
      pinned: false,
      participants: null,
      calendar_event_id: null,
      transcript: null,
      revision: 1,
      edit: null,
      other_edit: null,
      edited_by: job.user_id,
      edited_with: writtenWith,
      edited_at: at,
      enhancement_template_id: task.id,
      enhancement_prompt: task.prompt,
      enhanced_at_content_hash: sha256(asked),
      created_at: at,
      updated_at: at,
    });
  }
}

interface AskOptions {
  purpose?: 'short' | 'long';
  maxTokens: number;
  /** What was written before it, for those who follow. */
  before?: string;
  isSilent?: boolean;
}

const roomFor = (tokens: number) => Math.max(smallestPieceTokens, Math.floor(tokens));
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const joined = (...texts: string[]) => texts.filter((text) => text !== '').join('\n\n');

const reachOf = ({ user_id, workspace_id }: ClaimedJob): OwnerFilter =>
  workspace_id === null
    ? { kind: 'member', userId: user_id }
    : { kind: 'any space of', workspaceId: workspace_id };
