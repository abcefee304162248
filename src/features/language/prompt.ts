import { asData, dataRule, estimateTokens } from '../../domain/language.ts';
import type { NoteWithTranscript } from '../../domain/note.ts';
import { readTranscript } from '../../domain/transcript.ts';
import type { Action } from './schema.ts';

/** What the model gets to read of a note: what is written, and what was said with its times. */
export interface Source {
  text: string;
  /** The times that the text has, as `12:34`. */
  times: ReadonlySet<string>;
}

export function sourceOf({ content, content_is_transcript, transcript }: NoteWithTranscript): Source {
  const times = new Set<string>();
  const { segments = null, text = '' } = transcript === null ? {} : readTranscript(transcript);
  const several = new Set(segments?.map(({ speaker }) => speaker)).size > 1;
  const said = (segments ?? []).flatMap(({ start, speaker, text }) => {
    if (text.trim() === '') return [];
    times.add(clock(start));
    return [`[${clock(start)}] ${several && speaker !== null ? `${speaker}: ` : ''}${text.trim()}`];
  });
  const spoken = said.length > 0 ? said.join('\n') : text;
  const written = content_is_transcript && spoken !== '' ? '' : content.trim();
  return { text: [written, spoken].filter((part) => part !== '').join('\n\n'), times };
}

export function clock(seconds: number): string {
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const two = (part: number) => String(part).padStart(2, '0');
  const end = `${two(minutes)}:${two(Math.floor(seconds) % 60)}`;
  return hours > 0 ? `${hours}:${end}` : end;
}

const cited = /\s?\[(\d{1,2}:\d{2}(?::\d{2})?)\]/g;

/** A time that the source does not have is invented, and goes. */
export const withRealTimes = (text: string, times: ReadonlySet<string>) =>
  text.replace(cited, (whole, time: string) => (times.has(time) ? whole : ''));

export type Task = Pick<Action, 'id' | 'name' | 'prompt' | 'sections' | 'output' | 'language'>;

/** These write as much as they read, piece by piece. Everything else is summed up. */
export const isWholeText = ({ id }: Task) => id === 'clean-up' || id === 'translate';
const citesTimes = (task: Task) => task.output !== 'title' && !isWholeText(task) && task.id !== 'follow-up';

/** What the model is told. `part` is for one piece of a long text, `sum` for the notes on all of them. */
export function systemPrompt(
  task: Task,
  mark: string,
  step: 'whole' | 'part' | 'sum',
  hasTimes: boolean,
): string {
  const sections = (task.sections ?? []).map(({ heading, instruction }) => `## ${heading}\n${instruction}`);
  const steps = {
    whole: [],
    part: [
      'This is one part of a longer text. Note everything in it that the task needs; another step joins the parts.',
    ],
    sum: [
      'The text is a list of notes on the parts of a longer text, in order. Write one text from all of them.',
    ],
  };
  return [
    task.prompt,
    ...(sections.length > 0
      ? [`Use exactly these headings; below each is what belongs there:\n${sections.join('\n')}`]
      : []),
    ...steps[step],
    task.language === null
      ? 'Write in the language of the text.'
      : `Write in this language: ${task.language}.`,
    ...(hasTimes && citesTimes(task)
      ? [
          'Lines of the text begin with a time like [12:34]. After each statement put the time of the line that it is from, in the same form. Use no other times.',
        ]
      : []),
    ...(hasTimes && !citesTimes(task) ? ['Leave out the times in brackets.'] : []),
    ...(task.output === 'title'
      ? []
      : ['Answer in Markdown, without an introduction and without a code block.']),
    dataRule(mark),
  ].join('\n');
}

export const userPrompt = (text: string, mark: string) => asData(text, mark);

/** Cuts at a line, then at a sentence, then anywhere, so that each piece has at most so many tokens. */
export function pieces(text: string, mostTokens: number): string[] {
  const found: string[] = [];
  let rest = text;
  while (estimateTokens(rest) > mostTokens) {
    const most = Math.max(1, mostTokens * 3);
    const head = rest.slice(0, most);
    const half = most / 2;
    const at = [head.lastIndexOf('\n'), head.lastIndexOf('. ') + 1, head.lastIndexOf(' ')].find(
      (place) => place > half,
    );
    // Not between the halves of a character.
    const end = at ?? (/[\ud800-\udbff]$/.test(head) && most > 1 ? most - 1 : most);
    found.push(rest.slice(0, end).trim());
    rest = rest.slice(end).trimStart();
  }
  if (rest !== '' || found.length === 0) found.push(rest);
  return found;
}

const maxTitleCharacters = 100;

/** The answer as it is stored: without a code block around it; a title is one line without marks. */
export function cleanAnswer(task: Task, answer: string): string {
  const text = answer
    .trim()
    .replace(/^```(?:markdown|md)?\n([\s\S]*?)\n```$/, '$1')
    .trim();
  if (task.output !== 'title') return text;
  const [line = ''] = text.split('\n');
  return line
    .replace(/^(#+|title:|titel:|título:)\s*/i, '')
    .replace(/\s*\[\d{1,2}:\d{2}(:\d{2})?\]/g, '')
    .replace(/^["'“„«*]+|["'”“»*.]+$/g, '')
    .trim()
    .slice(0, maxTitleCharacters)
    .trim();
}
