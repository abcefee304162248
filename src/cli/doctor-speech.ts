import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createAudioDecoder } from '../audio/decoder.ts';
import { acceptedAudio } from '../domain/audio.ts';
import { createTranscriber, type EngineSettings } from '../engines/index.ts';
import type { AudioDecoder } from '../ports/audio.ts';
import type { Transcribed, Transcriber } from '../ports/transcriber.ts';
import { broken, type Check, ok, reasonOf, warning } from './doctor-check.ts';

/** 11 seconds; assets/README.md says where they come from. */
const clip = join(import.meta.dirname, '../../assets/ask-not.ogg');
const spoken =
  'and so my fellow americans ask not what your country can do for you ask what you can do for your country';
/** Engines differ in a word or two; one that mishears a fifth of this clear voice is broken. */
const neededShare = 0.8;
/** Includes loading a large model from a slow disk. */
const deadlineMs = 120_000;

const fixes = {
  embedded:
    'look at the model with "npx steno models", check STENO_MODEL, free some memory, or run "npm ci" again',
  http: 'check STENO_ENGINE_URL, STENO_ENGINE_KEY and STENO_ENGINE_MODEL, and whether that server runs',
};

/** A fifth of a second of silence as FLAC, which only the native decoder reads. */
const silence = Buffer.from(
  'ZkxhQ4AAACIGQAZAAAAAAAAAA+gA8AAABkAAAAAAAAAAAAAAAAAAAAAA//hwCAAGP9kAAACccv/4cAgBBj+yAAAAAXM=',
  'base64',
);

/** Can the native decoder be loaded? Without it WAV and Opus recordings work, and nothing else does. */
export async function checkFormats(decoder: AudioDecoder = createAudioDecoder()): Promise<Check> {
  try {
    await decoder.decode(silence);
    return ok('audio formats', acceptedAudio);
  } catch (cause) {
    const fix = 'install libasound2, which newer Debian and Ubuntu call libasound2t64, or send WAV or Opus';
    return warning('audio formats', reasonOf(cause), fix);
  } finally {
    await decoder.close();
  }
}

/** Transcribes the clip that comes with Steno, as POST /transcribe would. */
export async function checkSpeech(settings: EngineSettings): Promise<Check> {
  if (settings.engine === 'fake')
    return warning('speech', 'the fake engine makes up its words', 'remove STENO_ENGINE to use a real one');
  const fix = fixes[settings.engine];
  const transcriber = createTranscriber({ ...settings, workers: 1 });
  const startedAt = performance.now();
  try {
    const heard = await transcribeClip(transcriber);
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
    const share = shareOfWords(heard.text);
    const { runtime } = transcriber.status();
    const engine = [heard.provider, heard.model, ...(runtime ? [`on ${runtime}`] : [])].join(' ');
    const found = `${engine} heard ${Math.round(share * 100)} % of the clip's words in ${seconds} s`;
    if (share >= neededShare) return ok('speech', found);
    const { languages } = transcriber.status();
    return languages.length > 0 && !languages.includes('en')
      ? ok('speech', `${found}; the clip is English, which this model does not know`)
      : broken('speech', found, fix);
  } catch (cause) {
    const { problem } = transcriber.status();
    return broken('speech', reasonOf(cause) + (problem === null ? '' : ` (${problem})`), fix);
  } finally {
    await transcriber.close();
  }
}

async function transcribeClip(transcriber: Transcriber): Promise<Transcribed> {
  const signal = AbortSignal.timeout(deadlineMs);
  const decoder = createAudioDecoder();
  try {
    const { pcm } = await decoder.decode(await readFile(clip), { signal });
    return await transcriber.transcribe({ pcm, userId: 'doctor', signal });
  } finally {
    await decoder.close();
  }
}

/** The share of the spoken words that was heard, in any order; a word said twice must be heard twice. */
function shareOfWords(text: string): number {
  const heard: string[] = text.toLowerCase().match(/\p{L}+/gu) ?? [];
  const words = spoken.split(' ');
  const found = words.filter((word) => {
    const at = heard.indexOf(word);
    if (at >= 0) heard.splice(at, 1);
    return at >= 0;
  });
  return found.length / words.length;
}
