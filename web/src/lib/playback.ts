import { createStore } from './store.ts';

export const speeds = [0.75, 1, 1.25, 1.5, 1.75, 2] as const;

interface PlaybackState {
  isPlaying: boolean;
  /** The position, updated about four times a second. For every frame, use `onTick`. */
  seconds: number;
  speed: number;
  /** The browser cannot play this kind of file, or the audio does not load. */
  failed: boolean;
}

const speedKey = 'speed';

/** A recording, and when it begins among those of its note. */
export interface Track {
  address: string;
  start: number;
}

/** Plays the recordings of a note, one after the other. Player, keys and the marked word follow it. It lives outside React. */
export class Playback {
  readonly state = createStore<PlaybackState>({
    isPlaying: false,
    seconds: 0,
    speed: rememberedSpeed(),
    failed: false,
  });
  /** In seconds, from the server: files that a browser recorded do not state it. */
  readonly length: number;
  readonly #audio = new Audio();
  readonly #tracks: readonly Track[];
  #track = 0;
  readonly #listeners = new Set<(seconds: number) => void>();
  #frame = 0;

  constructor(tracks: readonly Track[], length: number) {
    this.length = length;
    this.#tracks = tracks;
    const audio = this.#audio;
    audio.preload = 'metadata';
    audio.src = tracks[0]?.address ?? '';
    audio.defaultPlaybackRate = this.state.get().speed;
    audio.playbackRate = this.state.get().speed;
    audio.addEventListener('play', () => this.#show({ isPlaying: true }));
    audio.addEventListener('pause', () => this.#show({ isPlaying: false }));
    audio.addEventListener('timeupdate', () => this.#show({ seconds: this.#seconds }));
    audio.addEventListener('seeking', () => this.#show({ seconds: this.#seconds }));
    audio.addEventListener('ended', () => this.#playNext());
    audio.addEventListener('error', () => this.#show({ failed: true, isPlaying: false }));
  }

  toggle(): void {
    if (this.#audio.paused) this.play();
    else this.pause();
  }

  get #seconds(): number {
    return (this.#tracks[this.#track]?.start ?? 0) + this.#audio.currentTime;
  }

  /** Files that a browser recorded do not state their length, so the next one is played when this one has ended. */
  #playNext(): void {
    const next = this.#tracks[this.#track + 1];
    if (next) this.playFrom(next.start);
  }

  play(): void {
    if (this.#seconds >= this.length) this.seek(0);
    // Fails only without an audio device; the position stays.
    this.#audio.play().catch(() => {});
  }

  pause(): void {
    this.#audio.pause();
  }

  seek(seconds: number): void {
    const place = Math.min(Math.max(0, seconds), this.length);
    const track = Math.max(
      0,
      this.#tracks.findLastIndex(({ start }) => start <= place),
    );
    const { address = '', start = 0 } = this.#tracks[track] ?? {};
    if (track !== this.#track) {
      const { isPlaying } = this.state.get();
      this.#track = track;
      this.#audio.src = address;
      if (isPlaying) this.#audio.play().catch(() => {});
    }
    this.#audio.currentTime = Math.max(0, place - start);
    this.#show({ seconds: place });
  }

  skip(seconds: number): void {
    this.seek(this.#seconds + seconds);
  }

  playFrom(seconds: number): void {
    this.seek(seconds);
    this.play();
  }

  setSpeed(speed: number): void {
    this.#audio.defaultPlaybackRate = speed;
    this.#audio.playbackRate = speed;
    this.#show({ speed });
    try {
      localStorage.setItem(speedKey, String(speed));
    } catch {
      // A browser that blocks storage forgets the choice.
    }
  }

  /** Called with the position for every frame during playback, and after every seek. */
  onTick(listener: (seconds: number) => void): () => void {
    this.#listeners.add(listener);
    listener(this.#seconds);
    return () => this.#listeners.delete(listener);
  }

  close(): void {
    cancelAnimationFrame(this.#frame);
    this.#audio.pause();
    this.#audio.removeAttribute('src');
    this.#audio.load();
    this.#listeners.clear();
  }

  #show(change: Partial<PlaybackState>): void {
    this.state.set({ ...this.state.get(), ...change });
    cancelAnimationFrame(this.#frame);
    this.#tick();
  }

  #tick(): void {
    for (const listener of this.#listeners) listener(this.#seconds);
    if (this.state.get().isPlaying) this.#frame = requestAnimationFrame(() => this.#tick());
  }
}

/** A browser that blocks storage forgets the choice. */
function rememberedSpeed(): number {
  try {
    const kept = Number(localStorage.getItem(speedKey));
    return speeds.find((speed) => speed === kept) ?? 1;
  } catch {
    return 1;
  }
}
