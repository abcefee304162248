import type { Playback } from './playback.ts';
import { createStore } from './store.ts';

/** A recording that goes on playing while its note is not on the screen. */
export interface LeftPlaying {
  playback: Playback;
  title: string;
  /** Of its note. */
  href: string;
  close(): void;
}

export const leftPlaying = createStore<LeftPlaying | undefined>(undefined);
