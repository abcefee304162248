import { hash, randomBytes } from 'node:crypto';
import { AppError, invalid } from '../../domain/errors.ts';
import { estimateTokens, isRefusal, WriterFailed } from '../../domain/language.ts';
import { type NoteChanges, type NoteWithTranscript, newNote } from '../../domain/note.ts';
import { revisionLimits, type Writing } from '../../domain/revision.ts';
import { authorize, type Reach } from '../../kernel/authorized.ts';
import type { CommandContext } from '../../kernel/context.ts';
import { job, type WorkContext } from '../../kernel/job.ts';
import { changeNote } from '../notes/change.ts';
import { lock, noteRows, selectNote, settle } from '../notes/queries.ts';
import { keepPart, parts as partsOf, setResult } from './jobs.ts';
import {
  cleanAnswer,
  isWholeText,
  pieces,
  type Source,
  sourceOf,
  systemPrompt,
  userPrompt,
  withRealTimes,
} from './prompt.ts';
import type { Asker } from './queries.ts';
import { type ClaimedJob, queue } from './queue.ts';

/** A title needs the beginning of a text, not all of it. */
const mostTitleTokens = 2_000;
const mostAnswerTokens = 4_096;
/** Room for the marks and for what a server adds. */
const spareTokens = 200;
const smallestPieceTokens = 200;
/** Each time the notes on the pieces are a fraction of what they were. */
const mostRounds = 5;
const writtenWith = 'Language model';

/** What the model wrote, and the SHA-256 of the content that it wrote about. */
interface Written {
  text: string;
  aboutHash: string;
}

const noteGone = () =>
  new AppError(
    'not_found',
    'The note was deleted or is no longer yours to read, so the text was not stored.',
  );

const noteOf = authorize(noteGone, ({ db, who }: Reach<Asker>, id) =>
  noteRows.first(selectNote(db, who.notes, id).select('owner_id')),
);
const lockedNote = authorize(noteGone, ({ database, tx, who }: CommandContext<Asker>, id: string) =>
  lock(database, tx, who.notes, id),
);
type Found = NoteWithTranscript & { owner_id: string };

/**
 * A text that the language model writes about a note. What was written about the pieces of a long text is stored at once, and the
 * result with the end of the job in one transaction: a killed server goes on, and nothing is written twice.
 */
export const writeText = job({
  queue,
  noun: 'text',
  // A model on the same machine writes one or two texts at a time.
  most: 2,
  // With the pauses between them, about five minutes.
  mostFaults: 6,
  // Without a model, jobs from before wait for one.
  isOn: ({ writer }) => writer.isOn,
  whoOf: ({ user_id: userId, workspace_id: workspaceId }: ClaimedJob): Asker => ({
    userId,
    workspaceId,
    notes: workspaceId === null ? { kind: 'member', userId } : { kind: 'any space of', workspaceId },
  }),
  locks: ({ note_id }) => note_id,
  may: (context, { note_id }) => noteOf(context, note_id),
  isPassing: (error) => (error instanceof WriterFailed ? !error.isLasting : error.status >= 500),
  changed: ({ texts }, id) => texts.notify(id),
  work,
  store,
});

/** Raises WriterFailed, `forbidden`, `quota_exceeded` and `validation_error`. */
async function work(context: WorkContext, job: ClaimedJob, note: Found): Promise<Written> {
  const { task } = job;
  const { writer, texts } = context.parts;
  const source = sourceOf(note);
  if (source.text.trim() === '') throw invalid('The note has no text to write about.');
  const { window } = await writer.status();
  const known = await partsOf(context.db, job.id);
  let position = 0;
  try {
    const text = withRealTimes(cleanAnswer(task, await writeAll(source)), source.times);
    if (text === '') throw new WriterFailed('empty');
    if (isRefusal(text)) throw new WriterFailed('refused');
    return { text, aboutHash: sha256(note.content) };
  } finally {
    texts.setPartial(job.id, undefined);
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
    const part = { position: at, asked_hash, text: written };
    await context.keep((tx) => keepPart(tx, job.id, part, Math.min(0.99, (at + 1) / of)));
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
      signal: context.signal,
    });
    for await (const part of parts) {
      if (part.kind === 'end' && part.reason === 'length') throw new WriterFailed('cut off');
      if (part.kind !== 'text') continue;
      answer += part.text;
      if (!isSilent) texts.setPartial(job.id, before + answer);
    }
    return answer;
  }
}

/** In the note as it is now: it may have been changed, moved or deleted while the model wrote. */
async function store(
  context: CommandContext<Asker>,
  job: ClaimedJob,
  note: Found,
  { text, aboutHash }: Written,
): Promise<void> {
  const { tx, database, now, newId, parts, afterCommit } = context;
  const { task } = job;
  const by = {
    enhancement_template_id: task.id,
    enhancement_prompt: task.prompt,
    enhanced_at_content_hash: aboutHash,
  };
  if (task.output === 'note') {
    const { owner_id, folder_id, title } = note;
    const made = newNote({
      ...by,
      id: newId(),
      user_id: job.user_id,
      owner_id,
      space_id: owner_id === job.user_id ? null : owner_id,
      folder_id,
      title: title ? `${task.name}: ${title}` : task.name,
      content: text,
      edited_by: job.user_id,
      edited_with: writtenWith,
      edited_at: now,
      created_at: now,
    });
    const entry = database.search.analyse(made);
    const inserted = await database.insertNote(tx, { row: noteRows.toRow(made), text: entry });
    if (inserted !== 'ok') throw noteGone();
    await setResult(tx, job.id, made.id);
    if (entry === null) afterCommit(() => settle(database));
  } else {
    const changes = ({ title, enhanced_content }: NoteWithTranscript): NoteChanges => {
      // A person may have typed a title meanwhile.
      if (task.output === 'title') return job.automatic && title !== job.given_title ? {} : { title: text };
      const before = enhanced_content?.trim() ?? '';
      const appended = [before, `## ${task.name}\n\n${text}`].filter((part) => part !== '').join('\n\n');
      return { ...by, enhanced_content: task.output === 'append' ? appended : text };
    };
    // What began together is one session, so that it leaves one revision. Its number must differ even within a millisecond.
    const seq = Number.parseInt(job.id.slice(-12), 16);
    const edit = job.automatic ? { session: `language ${job.created_at}`, seq } : null;
    const writing: Writing = {
      by: { edit, edited_by: job.user_id, edited_with: writtenWith },
      limits: revisionLimits(newId(), parts.plans[job.plan], Date.parse(now)),
    };
    const locked = await lockedNote(context, note.id);
    await changeNote(context, locked, changes(locked), writing);
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
const sha256 = (text: string) => hash('sha256', text);
