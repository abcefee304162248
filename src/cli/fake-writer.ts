import { estimateTokens, promptTokens } from '../domain/language.ts';
import type { LanguageWriter, WriterMessage } from '../engines/ports/writer.ts';
import { keysOf } from '../features/ask/passages.ts';

/** The language model of the sandbox, in this process. */
export const fakeWriter: LanguageWriter = {
  isOn: true,
  status: async () => ({ address: 'http://localhost', model: 'fake', window: 8_192 }),
  async *write(request) {
    const text = fakeAnswer(request.system, request.messages);
    yield { kind: 'text', text };
    const tokens = { prompt: promptTokens(request), answer: estimateTokens(text) };
    yield { kind: 'end', reason: 'complete', tokens };
  },
};

/**
 * It knows no language: a title is the first words of the text, tasks are its sentences with "will" or "must", an answer is the
 * sentence with most words of the question, everything else is its first sentences.
 */
export function fakeAnswer(system: string, messages: readonly Pick<WriterMessage, 'content'>[]): string {
  const asked = messages.at(-1)?.content ?? '';
  const [, , data = ''] = /<text (\S+)>\n([\s\S]*)\n<\/text \1>/.exec(asked) ?? [];
  const [task = ''] = system.split('\n');
  const said = sentencesOf((data || asked).replace(/\[\d+:[\d:]+\]\s*/g, ''));
  if (/^answer a question/i.test(task)) return answerFrom(data, asked.slice(asked.lastIndexOf('Question: ')));
  if (/title/i.test(task)) return (said[0] ?? 'Nothing').split(/\s+/).slice(0, 6).join(' ');
  if (!/task|action item/i.test(task)) return listOf('- ', said.slice(0, 3));
  return (
    listOf(
      '- [ ] ',
      said.filter((sentence) => /\b(will|must|should)\b/i.test(sentence)),
    ) || 'No tasks.'
  );
}

/** The sentence with most words of the question and the number of its passage, if it has half of the longer ones. */
function answerFrom(passages: string, question: string): string {
  const asked = [...keysOf(question.replace('Question:', ''))].filter((key) => key.length > 3);
  const found = passages.split(/(?=^\[\d+\] )/m).flatMap((passage) => {
    const [, number = ''] = /^\[(\d+)\]/.exec(passage) ?? [];
    return sentencesOf(passage.slice(passage.indexOf('\n'))).map((sentence) => {
      const keys = keysOf(sentence);
      return { sentence, number, shared: asked.filter((key) => keys.has(key)).length };
    });
  });
  const [best] = found.sort((one, other) => other.shared - one.shared);
  return best && best.shared * 2 >= asked.length ? `${best.sentence} [${best.number}]` : 'NOT FOUND';
}

const listOf = (mark: string, lines: readonly string[]) => lines.map((line) => mark + line).join('\n');

const sentencesOf = (text: string) =>
  text
    .split(/(?<=[.!?])\s+|\n+/)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== '');
