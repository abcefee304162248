import { readFile } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { createAudioDecoder } from '../engines/audio/decoder.ts';
import type { Transcribed, Transcriber } from '../engines/ports/transcriber.ts';
import { transcribeRecording } from '../features/transcribe/transcribe-recording.ts';
import { projectPath } from '../lib/program.ts';
import { Failure } from './errors.ts';

/** 11 seconds; assets/README.md says where they come from. */
const clip = projectPath('assets/ask-not.ogg');
const spoken =
  'and so my fellow americans ask not what your country can do for you ask what you can do for your country';
/** Includes loading a large model from a slow disk. */
const defaultDeadlineMs = 120_000;

export async function transcribeClip(
  transcriber: Transcriber,
  { deadlineMs = defaultDeadlineMs } = {},
): Promise<Transcribed> {
  const signal = AbortSignal.timeout(deadlineMs);
  const decoder = createAudioDecoder();
  try {
    const recording = await decoder.open(await readFile(clip), { signal });
    return await transcribeRecording(transcriber, { recording, userId: 'doctor', signal });
  } finally {
    await decoder.close();
  }
}

/** A large model takes minutes the first time, which is longer than a request waits. Raises when it cannot be loaded. */
export async function whenLoaded(transcriber: Transcriber): Promise<void> {
  for (;;) {
    const { state, problem } = transcriber.status();
    if (state === 'ready') return;
    if (state === 'failed') throw new Failure(`The model cannot be loaded: ${problem}`);
    await wait(50);
  }
}

/** The share of the clip's words that was recognised, in any order; a word said twice counts twice. */
export function shareOfWords(text: string): number {
  const recognised: string[] = text.toLowerCase().match(/\p{L}+/gu) ?? [];
  const words = spoken.split(' ');
  const found = words.filter((word) => {
    const at = recognised.indexOf(word);
    if (at >= 0) recognised.splice(at, 1);
    return at >= 0;
  });
  return found.length / words.length;
}
