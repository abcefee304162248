import { remember, remembered } from './remembered.ts';
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

/** A recording, and when it begins among the recordings of its note. */
export interface Track {
  address: string;
  start: number;
}

/**
 * Plays the recordings of a note, one after the other. Player, keys and the marked word follow it. It lives outside React. The
 * page has one audio element: a player that starts takes it from the one before.
 */
export class Playback {
  static readonly #audio = new Audio();
  static #holder: Playback | undefined;
  static {
    const audio = Playback.#audio;
    audio.preload = 'metadata';
    const on = (name: keyof HTMLMediaElementEventMap, tell: (holder: Playback) => void) =>
      audio.addEventListener(name, () => Playback.#holder && tell(Playback.#holder));
    for (const name of ['play', 'pause'] as const)
      on(name, (holder) => holder.#show({ isPlaying: !audio.paused }));
    for (const name of ['timeupdate', 'seeking'] as const)
      on(name, (holder) => holder.#show({ seconds: holder.#seconds }));
    on('ended', (holder) => holder.#playNext());
    on('error', (holder) => holder.#show({ failed: true, isPlaying: false }));
  }

  /** The microphone must not record what plays. */
  static pause(): void {
    Playback.#audio.pause();
  }

  readonly state = createStore<PlaybackState>({
    isPlaying: false,
    seconds: 0,
    speed: rememberedSpeed(),
    failed: false,
  });
  /** In seconds, from the server: files that a browser recorded do not state it. */
  readonly length: number;
  /** Called when another one has begun to play. */
  onReplaced: (() => void) | undefined;
  readonly #tracks: readonly Track[];
  #track = 0;
  /** The position while it does not have the audio element. */
  #place = 0;
  readonly #listeners = new Set<(seconds: number) => void>();
  #frame = 0;

  constructor(tracks: readonly Track[], length: number) {
    this.length = length;
    this.#tracks = tracks;
    // What plays goes on playing, until the person plays this.
    if (!Playback.#holder) this.#take();
  }

  get #holds(): boolean {
    return Playback.#holder === this;
  }

  #take(): void {
    if (this.#holds) return;
    const before = Playback.#holder;
    if (before) before.#letGo();
    Playback.#holder = this;
    const { speed } = this.state.get();
    Playback.#audio.defaultPlaybackRate = speed;
    this.#load(this.#track, this.#place);
    Playback.#audio.playbackRate = speed;
  }

  #letGo(): void {
    this.#place = this.#seconds;
    Playback.#audio.pause();
    Playback.#holder = undefined;
    this.#show({ isPlaying: false });
    this.onReplaced?.();
  }

  #load(track: number, place: number): void {
    const { address = '', start = 0 } = this.#tracks[track] ?? {};
    this.#track = track;
    Playback.#audio.src = address;
    if (place > start) Playback.#audio.currentTime = place - start;
  }

  toggle(): void {
    if (this.state.get().isPlaying) this.pause();
    else this.play();
  }

  get #seconds(): number {
    return this.#holds ? (this.#tracks[this.#track]?.start ?? 0) + Playback.#audio.currentTime : this.#place;
  }

  /** Files that a browser recorded do not state their length, so the next one is played when this one has ended. */
  #playNext(): void {
    const next = this.#tracks[this.#track + 1];
    if (next) this.playFrom(next.start);
  }

  play(): void {
    this.#take();
    if (this.#seconds >= this.length) this.seek(0);
    // Fails only without an audio device; the position stays.
    Playback.#audio.play().catch(() => {});
  }

  pause(): void {
    if (this.#holds) Playback.#audio.pause();
  }

  seek(seconds: number): void {
    const place = Math.min(Math.max(0, seconds), this.length);
    const track = Math.max(
      0,
      this.#tracks.findLastIndex(({ start }) => start <= place),
    );
    const { start = 0 } = this.#tracks[track] ?? {};
    if (!this.#holds) {
      this.#track = track;
      this.#place = place;
    } else if (track === this.#track) Playback.#audio.currentTime = Math.max(0, place - start);
    else {
      const { isPlaying } = this.state.get();
      this.#load(track, place);
      if (isPlaying) Playback.#audio.play().catch(() => {});
    }
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
    if (this.#holds) {
      Playback.#audio.defaultPlaybackRate = speed;
      Playback.#audio.playbackRate = speed;
    }
    this.#show({ speed });
    remember(speedKey, String(speed));
  }

  /** Called with the position for every frame during playback, and after every seek. */
  onTick(listener: (seconds: number) => void): () => void {
    this.#listeners.add(listener);
    listener(this.#seconds);
    return () => this.#listeners.delete(listener);
  }

  close(): void {
    cancelAnimationFrame(this.#frame);
    this.#listeners.clear();
    if (!this.#holds) return;
    Playback.#holder = undefined;
    Playback.#audio.pause();
    Playback.#audio.removeAttribute('src');
    Playback.#audio.load();
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

const rememberedSpeed = () => speeds.find((speed) => String(speed) === remembered(speedKey)) ?? 1;
