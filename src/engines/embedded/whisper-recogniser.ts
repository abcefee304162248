import { type Segment, Whisper, WhisperFullParams, WhisperSamplingStrategy } from '@napi-rs/whisper';
import { pcmRate } from '../../domain/audio.ts';
import type { Piece, Recogniser, Recognition } from '../recogniser.ts';

/** The engine's unit: hundredths of a second. */
const ticksPerSecond = 100;
/** Whisper's encoder makes 50 positions a second, 1,500 for its window of 30 s. */
const positionsPerSecond = 50;
const fullContext = 1500;

/**
 * How much of the 30 s window is encoded: the clip and half as much again, at most 5 s more, never less than 10 s in
 * all. With less room the end of a clip is lost or said twice (docs/decisions/0010-speech-engine.md). 0 means all.
 */
function audioContextFor(seconds: number): number {
  const clip = seconds * positionsPerSecond;
  const wanted = Math.ceil(Math.max(512, Math.min(clip * 1.5, clip + 256)) / 64) * 64;
  return wanted >= fullContext ? 0 : wanted;
}

/** From a file, or from the bytes of one. */
export function loadWhisper(source: string | Uint8Array, model: string): Recogniser {
  const whisper = new Whisper(source, { useGpu: false });
  const isMultilingual = whisper.isMultilingual !== 0;
  const languages = isMultilingual ? allLanguages() : ['en'];
  return {
    info: { model, languages },
    async recognise(recognition) {
      const heard: Segment[] = [];
      const text = whisper.full(paramsFor(recognition, isMultilingual, heard), recognition.pcm);
      await delivered(heard, text);
      const language = isMultilingual ? Whisper.lang(whisper.fullLangId) : 'en';
      return { pieces: toPieces(heard, text), language: recognition.language ?? language };
    },
  };
}

function paramsFor(
  { pcm, language, prompt, threads }: Recognition,
  isMultilingual: boolean,
  heard: Segment[],
) {
  const params = new WhisperFullParams(WhisperSamplingStrategy.Greedy);
  params.nThreads = threads;
  params.language = language ?? (isMultilingual ? 'auto' : 'en');
  params.noContext = true;
  params.printProgress = false;
  params.printRealtime = false;
  params.printTimestamps = false;
  // One word per segment: the only way to get the times of words here.
  params.tokenTimestamps = true;
  params.maxLen = 1;
  params.splitOnWord = true;
  params.audioCtx = audioContextFor(pcm.length / pcmRate);
  if (prompt !== '') params.initialPrompt = prompt;
  params.onNewSegment = (segment) => heard.push(segment);
  return params;
}

/** The engine calls back through the event loop, after its own call has returned. */
async function delivered(heard: Segment[], text: string): Promise<void> {
  const mostTurns = 100;
  const wanted = letterCount(text);
  const length = () => heard.reduce((sum, segment) => sum + letterCount(segment.text), 0);
  for (let turn = 0; turn < mostTurns && length() < wanted; turn++) await new Promise(setImmediate);
}

const letterCount = (text: string) => text.replace(/\s/g, '').length;

/** The callback trims each word; the whole text shows where there was a space. */
function toPieces(heard: readonly Segment[], text: string): Piece[] {
  let at = 0;
  return heard.map(({ text: word, start, end }) => {
    const found = text.indexOf(word, at);
    const hasSpace = found < 0 || found === 0 || /\s/.test(text[found - 1] ?? ' ');
    if (found >= 0) at = found + word.length;
    return {
      text: hasSpace ? ` ${word}` : word,
      start: start / ticksPerSecond,
      end: end / ticksPerSecond,
      isWord: true,
    };
  });
}

const allLanguages = () =>
  Array.from({ length: Whisper.maxLangId() + 1 }, (_, id) => Whisper.lang(id)).filter(
    (code) => code !== null,
  );
