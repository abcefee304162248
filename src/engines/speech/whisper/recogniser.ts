import { pcmRate } from '../../../domain/audio.ts';
import { leastSureness, sureness } from '../languages.ts';
import { respell } from '../names/respell.ts';
import { type InferenceSession, Tensor } from '../onnx-runtime.ts';
import type { Piece, Recognised, Recogniser, Recognition } from '../recogniser.ts';
import { alignmentHeads } from './alignment-heads.ts';
import { type DecoderInput, decode, detectLanguage, release } from './decode.ts';
import type { WhisperShape } from './shape.ts';
import type { Tokens } from './tokens.ts';
import { quietestSample, toWindow } from './window.ts';
import { toWords } from './words.ts';

export interface WhisperModel {
  name: string;
  shape: WhisperShape;
  tokens: Tokens;
  encoder: InferenceSession;
  decoder: InferenceSession;
}

/** A chunk that makes the decoder go in circles is recognised in halves, down to this length. */
const leastHalvedSeconds = 6;

export function createWhisperRecogniser(model: WhisperModel): Recogniser {
  const { name, shape, tokens, encoder, decoder } = model;
  const heads = alignmentHeads(shape).length;
  const isEnglish = tokens.languages.length === 0;

  async function encode(pcm: Float32Array, onEncoded: Told['onEncoded']): Promise<DecoderInput> {
    const window = toWindow(pcm, shape.audioContext);
    const whole = (list: readonly number[]) =>
      new Tensor('int64', BigInt64Array.from(list, BigInt), [list.length]);
    const counts = new Tensor('float32', Float32Array.from(window.counts), [window.counts.length]);
    // The graph declares all its outputs as tensors of floats.
    const encoded = (await encoder.run({
      pcm: new Tensor('float32', window.pcm, [1, 1, window.pcm.length]),
      rows: whole(window.rows),
      places: whole(window.places),
      counts,
    })) as Record<string, Tensor>;
    onEncoded?.();
    return { decoder, shape, tokens, encoded: { ...encoded, counts }, start: [] };
  }

  async function recognise(pcm: Float32Array, told: Told): Promise<Recognised> {
    const input = await encode(pcm, told.onEncoded);
    const language = isEnglish ? 'en' : (told.language ?? (await detectLanguage(input)));
    const begun = { ...input, start: startOf({ ...told, language }) };
    const plain = await decode(begun);
    const decoded = told.names ? await respell(plain, begun, told.names) : plain;
    release(input.encoded);
    const seconds = pcm.length / pcmRate;
    const isSpeech = decoded.opening === 'speech';
    if (decoded.isComplete || !isSpeech || seconds < leastHalvedSeconds) {
      const words = toWords(decoded, tokens, { heads, seconds });
      return {
        pieces: isSpeech || sureness(words) >= leastSureness ? words : [],
        language: decoded.opening === 'foreign speech' ? null : language,
      };
    }
    const middle = quietestSample(pcm);
    const before = await recognise(pcm.subarray(0, middle), { ...told, language });
    const after = await recognise(pcm.subarray(middle), { ...told, language });
    return {
      pieces: [...before.pieces, ...after.pieces.map((piece) => later(piece, middle / pcmRate))],
      language: before.language ?? after.language,
    };
  }

  function startOf({ prompt, language }: Told): number[] {
    const { start, previous, noTimestamps, transcribe, languageMark, encode } = tokens;
    // At most half of what the decoder holds, the last words: that is what it was trained on.
    const words = encode(` ${prompt.trim()}`).slice(1 - shape.textContext / 2);
    const before = prompt.trim() === '' ? [] : [previous, ...words];
    const inLanguage = isEnglish ? [] : [languageMark(language ?? 'en'), transcribe];
    return [...before, start, ...inLanguage, noTimestamps];
  }

  return {
    info: { model: name, runtime: 'ONNX Runtime', languages: isEnglish ? ['en'] : tokens.languages },
    recognise: ({ pcm, ...told }) => recognise(pcm, told),
  };
}

type Told = Omit<Recognition, 'pcm'>;

const later = (piece: Piece, seconds: number): Piece => ({
  ...piece,
  start: piece.start + seconds,
  end: piece.end + seconds,
});
