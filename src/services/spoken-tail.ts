import { pcmRate } from '../domain/audio.ts';
import { bestPause } from '../domain/voice.ts';
import type { Stretch } from '../ports/audio.ts';
import type { SpokenTail } from './news.ts';

/** A pass of the engine takes a fifth of its sound, so of a long one only the end is heard again and again. */
const heardAgainSeconds = { most: 8, least: 2 };

interface Dependencies {
  /** Whether somebody looks: it costs as much as the final words. */
  isWanted(): boolean;
  hear(stretch: Stretch): Promise<{ text: string }>;
  tell(tail: SpokenTail): void;
}

/** Hears what is spoken right now, one pass after another, until it is final. */
export function createTailHearing({ isWanted, hear, tell }: Dependencies) {
  let latest: { stretch: Stretch; isFinal: () => boolean } | undefined;
  let isBusy = false;
  /** What was heard of the stretch that begins there, and is not heard again. */
  let begun = { start: -1, end: 0, text: '' };
  let voicedUntil = 0;

  async function hearTail(stretch: Stretch, isFinal: () => boolean): Promise<void> {
    if (begun.start !== stretch.start) begun = { start: stretch.start, end: stretch.start, text: '' };
    let rest = cut(stretch, begun.end - stretch.start);
    const seconds = rest.pcm.length / pcmRate;
    if (seconds > heardAgainSeconds.most) {
      const at = bestPause(rest.voice, seconds / 2, seconds - heardAgainSeconds.least);
      const { text } = await hear(cut(rest, 0, at));
      begun = { ...begun, end: rest.start + at, text: joined(begun.text, text) };
      rest = cut(rest, at);
    }
    const { text } = await hear(rest);
    if (!isFinal()) tell({ start_ms: Math.round(stretch.start * 1000), text: joined(begun.text, text) });
  }

  async function run(): Promise<void> {
    isBusy = true;
    while (latest) {
      const { stretch, isFinal } = latest;
      latest = undefined;
      const until = stretch.start + lastVoiced(stretch);
      // In a pause there is nothing new.
      if (isFinal() || until === voicedUntil) continue;
      voicedUntil = until;
      await hearTail(stretch, isFinal).catch(() => {});
    }
    isBusy = false;
  }

  /** The last one that came waits until the one before it is heard. */
  return (stretch: Stretch, isFinal: () => boolean): void => {
    if (!isWanted()) return;
    latest = { stretch, isFinal };
    if (!isBusy) void run();
  };
}

/** A part of a stretch, as a stretch. */
function cut({ start, pcm, voice }: Stretch, from: number, to = pcm.length / pcmRate): Stretch {
  const frameOf = (seconds: number) => Math.round(seconds / voice.frameSeconds);
  const sampleOf = (seconds: number) => Math.round(seconds * pcmRate);
  return {
    start: start + from,
    pcm: pcm.subarray(sampleOf(from), sampleOf(to)),
    voice: { ...voice, frames: voice.frames.subarray(frameOf(from), frameOf(to)) },
  };
}

const lastVoiced = ({ voice }: Stretch) => voice.frames.lastIndexOf(1) * voice.frameSeconds;

const joined = (before: string, text: string) => [before, text].filter((part) => part !== '').join(' ');
