import { pcmRate } from '../domain/audio.ts';
import type { Stretch } from '../ports/audio.ts';
import type { HeardStretch, HeardWord } from '../ports/transcriber.ts';
import type { SpokenTail } from './news.ts';

/** A pass over 4 s takes half a second on two cores, and one over 11 s takes 1.3 s. So of more only the end is heard again. */
const heardAgainSeconds = 4;
/** The last word may be cut off, and the one before it heard wrong because of that. */
const unsureSeconds = 1.5;
/** Then it is probably all that is said, and its final words are heard before that is certain. */
const likelyPauseSeconds = 0.8;
/** How much of the pause belongs to a stretch (plan-cuts.ts). If it were another, the stretch would be heard anew. */
const paddingSeconds = 0.3;

interface Dependencies {
  /** Whether somebody looks: it costs as much as the final words. */
  isWanted(): boolean;
  hear(stretch: Stretch, isProvisional: boolean): Promise<HeardStretch>;
  tell(tail: SpokenTail): void;
  /** By which the next stretch is heard. */
  language(): string | undefined;
}

interface Offered {
  stretch: Stretch;
  isFinal: () => boolean;
}

interface Whole {
  stretch: Stretch;
  language: string | undefined;
  heard: Promise<HeardStretch>;
  isBusy: boolean;
}

/** Hears what is spoken right now, one pass after another, until it is final. */
export function createTailHearing({ isWanted, hear, tell, language }: Dependencies) {
  let latest: Offered | undefined;
  let isBusy = false;
  /** What was heard of the stretch that begins at `start`, and is not heard again: up to `end`. */
  let settled = { start: -1, end: 0, text: '' };
  let voicedUntil = 0;
  let whole: Whole | undefined;

  const show = ({ stretch, isFinal }: Offered, text: string) => {
    if (!isFinal()) tell({ start_ms: Math.round(stretch.start * 1000), text: text.trim() });
  };

  async function hearRest(offered: Offered): Promise<void> {
    const { stretch } = offered;
    if (settled.start !== stretch.start) settled = { start: stretch.start, end: stretch.start, text: '' };
    const before = settled;
    const rest = cut(stretch, before.end - stretch.start);
    const { words } = await hear(rest, true);
    show(offered, before.text + textOf(words));
    const end = rest.start + secondsOf(rest);
    const last = settled === before && end - rest.start > heardAgainSeconds ? lastSure(words, end) : -1;
    const [sure, next] = [words[last], words[last + 1]];
    if (sure)
      settled = {
        start: stretch.start,
        end: Math.min(end, next ? (sure.end + next.start) / 2 : sure.end),
        text: before.text + textOf(words.slice(0, last + 1)),
      };
  }

  async function run(): Promise<void> {
    isBusy = true;
    while (latest) {
      const offered = latest;
      latest = undefined;
      const until = offered.stretch.start + voicedSeconds(offered.stretch);
      // In a pause there is nothing new, and what is heard whole already is told soon.
      if (offered.isFinal() || until === voicedUntil || isHeardWhole(until)) continue;
      voicedUntil = until;
      await hearRest(offered).catch(() => {});
    }
    isBusy = false;
  }

  const isHeardWhole = (until: number) =>
    whole?.isBusy === true && until <= whole.stretch.start + secondsOf(whole.stretch);

  /** If nothing more is said, these are the final words. */
  async function hearWhole(offered: Offered): Promise<void> {
    const stretch = cut(offered.stretch, 0, voicedSeconds(offered.stretch) + paddingSeconds);
    if (whole?.isBusy || (whole && isSame(whole.stretch, stretch))) return;
    const hearing = { stretch, language: language(), heard: hear(stretch, false), isBusy: true };
    whole = hearing;
    try {
      const { words } = await hearing.heard;
      show(offered, textOf(words));
      // More than what passes over parts of it have heard.
      if (!offered.isFinal())
        settled = { start: stretch.start, end: stretch.start + secondsOf(stretch), text: textOf(words) };
    } catch {
      // Heard anew when it is final.
    } finally {
      hearing.isBusy = false;
    }
  }

  return {
    /** The last one that came waits until the one before it is heard. */
    offer(stretch: Stretch, isFinal: () => boolean): void {
      if (!isWanted()) return;
      latest = { stretch, isFinal };
      if (secondsOf(stretch) - voicedSeconds(stretch) >= likelyPauseSeconds) void hearWhole(latest);
      if (!isBusy) void run();
    },
    /** What was heard of exactly this stretch already. */
    heardOf: (stretch: Stretch): Promise<HeardStretch> | undefined =>
      whole && isSame(whole.stretch, stretch) && whole.language === language() ? whole.heard : undefined,
  };
}

/** The last word before the longest pause among those of which the engine is sure; −1 if there is none. */
function lastSure(words: readonly HeardWord[], end: number): number {
  let best = { at: -1, pause: Number.NEGATIVE_INFINITY };
  for (const [at, word] of words.entries()) {
    if (word.end > end - unsureSeconds) break;
    const pause = (words[at + 1]?.start ?? end) - word.end;
    // Of two equal pauses the later one: then less is left.
    if (pause >= best.pause) best = { at, pause };
  }
  return best.at;
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

/** The samples of one recording are the same at the same place. */
const isSame = (a: Stretch, b: Stretch) =>
  a.start === b.start &&
  a.pcm.length === b.pcm.length &&
  Buffer.compare(a.voice.frames, b.voice.frames) === 0;

const secondsOf = ({ pcm }: Stretch) => pcm.length / pcmRate;

/** Up to the last voice in it. */
const voicedSeconds = ({ voice }: Stretch) => (voice.frames.lastIndexOf(1) + 1) * voice.frameSeconds;

const textOf = (words: readonly HeardWord[]) => words.map(({ text }) => text).join('');
