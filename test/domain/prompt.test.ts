import { describe, expect, test } from 'vitest';
import { isRefusal, WriterFailed } from '../../src/domain/language.ts';
import type { NoteWithTranscript } from '../../src/domain/note.ts';
import {
  cleanAnswer,
  clock,
  isWholeText,
  pieces,
  sourceOf,
  systemPrompt,
  type Task,
  withRealTimes,
} from '../../src/features/language/prompt.ts';
import {
  builtInActions,
  chosenActions,
  defaultLanguageSettings,
} from '../../src/features/language/schema.ts';

const taskOf = (id: string): Task => {
  const found = builtInActions.find((action) => action.id === id);
  if (!found) throw new Error(`no action ${id}`);
  return found;
};
const source = (given: Partial<NoteWithTranscript>) =>
  sourceOf({ content: '', content_is_transcript: false, transcript: null, ...given } as NoteWithTranscript);
const said = (...lines: [start: number, speaker: string | null, text: string][]) =>
  JSON.stringify(
    lines.map(([start, speaker, text]) => ({ start, end: start + 1, text, speaker, words: [] })),
  );

describe('what a model reads of a note', () => {
  test('is what is written, and what was said with its times', () => {
    const { text, times } = source({
      content: ' Written. ',
      transcript: said([0, 'Ada', 'Hello'], [5, 'Ada', '  '], [61, null, ' there ']),
    });
    expect(text).toBe('Written.\n\n[00:00] Ada: Hello\n[01:01] there');
    expect([...times]).toEqual(['00:00', '01:01']);
  });

  test('names nobody who speaks alone', () => {
    expect(source({ transcript: said([0, 'Ada', 'One'], [3_600, 'Ada', 'two']) }).text).toBe(
      '[00:00] One\n[1:00:00] two',
    );
  });

  test('has a text that is the transcript once, and a plain transcript without times', () => {
    const transcript = said([0, null, 'Hello']);
    expect(source({ content: 'Hello', content_is_transcript: true, transcript }).text).toBe('[00:00] Hello');
    expect(source({ content: 'Hello', content_is_transcript: true }).text).toBe('Hello');
    expect(source({ content: 'Own', transcript: 'plain words' })).toEqual({
      text: 'Own\n\nplain words',
      times: new Set(),
    });
    expect(source({}).text).toBe('');
  });
});

test('times are written as people read them, and invented ones go', () => {
  expect([0, 59.9, 60, 3_599, 3_600, 36_061].map(clock)).toEqual([
    '00:00',
    '00:59',
    '01:00',
    '59:59',
    '1:00:00',
    '10:01:01',
  ]);
  expect(withRealTimes('One [00:05] two [09:09].', new Set(['00:05']))).toBe('One [00:05] two.');
});

describe('what a model is told', () => {
  const told = (
    id: string,
    fields: Partial<Task> = {},
    step: 'whole' | 'part' | 'sum' = 'whole',
    hasTimes = true,
  ) => systemPrompt({ ...taskOf(id), ...fields }, 'mark', step, hasTimes);
  const cites = 'Use no other times.';
  const leaves = 'Leave out the times in brackets.';
  const markdown = 'Answer in Markdown';

  test.each([
    ['summary', true],
    ['minutes', true],
    ['title', false],
    ['clean-up', false],
    ['translate', false],
    ['follow-up', false],
  ])('%s cites times: %s', (id, isCited) => {
    expect(told(id).includes(cites)).toBe(isCited);
    expect(told(id).includes(leaves)).toBe(!isCited);
    expect(told(id, {}, 'whole', false)).not.toMatch(/times in brackets|no other times/);
    expect(told(id).includes(markdown)).toBe(id !== 'title');
  });

  test('has the headings, the language and the step, and what is data', () => {
    const sections = [{ heading: 'Who', instruction: 'names' }];
    expect(told('summary', { sections })).toContain(
      'Use exactly these headings; below each is what belongs there:\n## Who\nnames',
    );
    expect(told('summary')).not.toContain('headings');
    expect(told('summary')).toContain('Write in the language of the text.');
    expect(told('summary', { language: 'French' })).toContain('Write in this language: French.');
    expect(told('summary', {}, 'part')).toContain('one part of a longer text');
    expect(told('summary', {}, 'sum')).toContain('a list of notes on the parts');
    expect(told('summary')).not.toContain('longer text');
    expect(told('summary')).toContain('between <text mark> and </text mark>');
  });

  test('sums up what is long, except where the whole text is written again', () => {
    expect(builtInActions.filter(isWholeText).map(({ id }) => id)).toEqual(['clean-up', 'translate']);
  });
});

test.each([
  ['short', 3, ['short']],
  ['', 3, ['']],
  ['line one\nline two', 4, ['line one', 'line two']],
  ['One two. Three four', 4, ['One two.', 'Three four']],
  ['aaaaaaa bbbbbbb', 3, ['aaaaaaa', 'bbbbbbb']],
  ['aaaaaaaaaaaa', 2, ['aaaaaa', 'aaaaaa']],
  ['ab🎙🎙', 1, ['ab', '🎙', '🎙']],
])('%j is cut for %i tokens', (text, tokens, expected) => {
  expect(pieces(text, tokens)).toEqual(expected);
});

test('an answer is stored without a code block, and a title as one plain line', () => {
  const [summary, title] = [taskOf('summary'), taskOf('title')];
  expect(cleanAnswer(summary, '```markdown\n## One\n\ntwo\n```')).toBe('## One\n\ntwo');
  expect(cleanAnswer(summary, ' "Quoted". ')).toBe('"Quoted".');
  expect(cleanAnswer(title, '# “The roof” [00:05].\nAnd more')).toBe('The roof');
  expect(cleanAnswer(title, 'Title: "The roof."')).toBe('The roof');
  expect(cleanAnswer(title, 'x'.repeat(200))).toHaveLength(100);
});

test('a short answer that begins with an excuse is a refusal; a letter is none', () => {
  expect(isRefusal(" I'm sorry, but I cannot do that.")).toBe(true);
  expect(isRefusal('The roof leaks.')).toBe(false);
  expect(isRefusal(`I'm sorry that I could not come. ${'The train was late. '.repeat(20)}`)).toBe(false);
});

test('what will fail again says no time to come back', () => {
  expect(new WriterFailed('busy')).toMatchObject({ isLasting: false, retryAfterSeconds: 10, fault: 'busy' });
  expect(new WriterFailed('busy', { retryAfterSeconds: 3 })).toMatchObject({ retryAfterSeconds: 3 });
  const lasting = new WriterFailed('refused', { retryAfterSeconds: 3 });
  expect(lasting).toMatchObject({ isLasting: true, name: 'WriterFailed' });
  expect(lasting.retryAfterSeconds).toBeUndefined();
});

test('a title and the chosen actions are written, or those of the folder', () => {
  const settings = {
    ...defaultLanguageSettings,
    actions: ['summary'],
    folders: [{ folder_id: 'f', actions: ['minutes'] }],
  };
  expect(chosenActions(settings, null)).toEqual(['title', 'summary']);
  expect(chosenActions(settings, 'f')).toEqual(['title', 'minutes']);
  expect(chosenActions({ ...settings, titles: false }, 'g')).toEqual(['summary']);
  expect(defaultLanguageSettings).toMatchObject({ allowed: true, titles: true });
});
