import { expect, test } from 'vitest';
import { type InferenceSession, Tensor } from '../../../src/speech/onnx-runtime.ts';
import { type DecoderInput, decode } from '../../../src/speech/whisper/decode.ts';
import { reconsider } from '../../../src/speech/whisper/reconsider.ts';
import type { Tokens } from '../../../src/speech/whisper/tokens.ts';
import { smallShape } from '../../support/whisper-file.ts';

const shape = { ...smallShape, textState: 1, textHeads: 1, textLayers: 1 };

/**
 * A decoder that knows sentences and how likely each of their words is after those before it; `heard` for all others. Its
 * keys are the words so far, so a wrong past gives a wrong answer.
 */
function decoderOf(
  words: readonly string[],
  likelihoods: Record<string, Record<string, number>>,
): DecoderInput {
  const vocabulary = [...words, '<end>', '<start>'];
  const end = words.length;
  const decode = (ids: readonly number[]) => ids.map((id) => ` ${vocabulary[id]}`).join('');
  const logitsAfter = (ids: readonly number[]) => {
    const known = likelihoods[decode(ids.slice(1)).trim()] ?? {};
    // The rest falls to what is never chosen.
    const rest = 1 - Object.values(known).reduce((sum, share) => sum + share, 0);
    return vocabulary.map((word) => Math.log((word === '<start>' ? rest : known[word]) || 1e-6));
  };
  const run = async ({ tokens, wanted, past_key_0 }: Record<'tokens' | 'wanted' | 'past_key_0', Tensor>) => {
    const [before, fed] = [
      [...(past_key_0.data as Float32Array)],
      [...(tokens.data as BigInt64Array)].map(Number),
    ];
    const all = [...before, ...fed];
    const places = [...(wanted.data as BigInt64Array)].map(Number);
    const logits = places.flatMap((place) => logitsAfter(all.slice(0, before.length + place + 1)));
    const floats = (values: number[], dims: number[]) =>
      new Tensor('float32', Float32Array.from(values), dims);
    const keys = () => floats(all, [1, 1, all.length, 1]);
    return {
      logits: floats(logits, [1, places.length, vocabulary.length]),
      attention: floats(fed, [1, fed.length, 1]),
      present_key_0: keys(),
      present_value_0: keys(),
    };
  };
  return {
    // What is asked of it is above.
    decoder: { run } as unknown as InferenceSession,
    tokens: { end, start: end + 1, decode, sounds: new Set(), unwanted: new Set() } as unknown as Tokens,
    shape,
    heard: {},
    start: [end + 1],
  };
}

const sentence = (likelihoods: Record<string, Record<string, number>>) =>
  decoderOf(['so', 'I', 'have', 'probably', 'spent', 'sound', 'quite', 'So', 'different'], likelihoods);

const heardTwice = {
  '': { so: 0.9, So: 0.1 },
  so: { have: 0.5, probably: 0.4 },
  'so have': { spent: 0.3, sound: 0.2 },
  'so have spent': { quite: 0.9 },
  'so have spent quite': { different: 0.9 },
  'so have spent quite different': { '<end>': 1 },
  'so probably': { sound: 0.95 },
  'so probably sound': { quite: 0.95 },
  'so probably sound quite': { different: 0.95 },
  'so probably sound quite different': { '<end>': 1 },
};

async function texts(input: DecoderInput) {
  const first = await decode(input);
  const textOf = ({ tokens }: typeof first) => input.tokens.decode(tokens.map(({ id }) => id)).trim();
  const second = await reconsider(first, input);
  return { first: textOf(first), second: textOf(second), tokens: second.tokens };
}

test('a second choice that makes the whole text likelier is taken, with its probabilities', async () => {
  const { first, second, tokens } = await texts(sentence(heardTwice));
  expect(first).toBe('so have spent quite different');
  expect(second).toBe('so probably sound quite different');
  expect(tokens.map(({ probability }) => Number(probability.toFixed(2)))).toEqual([
    0.9, 0.4, 0.95, 0.95, 0.95,
  ]);
  expect(tokens.every(({ attention }) => attention.length === 1)).toBe(true);
});

test('a second choice that makes it less likely, or never comes back to the text, is not', async () => {
  const unlikely = { ...heardTwice, 'so probably': { sound: 0.3, spent: 0.25 } };
  expect((await texts(sentence(unlikely))).second).toBe('so have spent quite different');
  const astray = {
    ...heardTwice,
    'so probably sound quite': { I: 1 },
    ...Object.fromEntries(
      Array.from({ length: 30 }, (_, n) => [`so probably sound quite${' I'.repeat(n + 1)}`, { I: 1 }]),
    ),
  };
  expect((await texts(sentence(astray))).second).toBe('so have spent quite different');
});
