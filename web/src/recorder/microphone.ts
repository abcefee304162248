import { after } from '../lib/after.ts';
import { remember, remembered } from '../lib/remembered.ts';
import { recorderStrings } from '../strings/recorder.ts';
import { Refusal } from './problems.ts';

const texts = recorderStrings.problems;
const rememberedKey = 'steno-microphone';
const lookEveryMs = 500;
/** A microphone that is switched off on its cable gives nothing but zeros; the quietest room does not. */
const silentMs = 60_000;
/** One step of 16 bits. */
const quietest = 1 / 32_768;
/** A browser interrupts the sound for a moment when a headset connects. */
const patienceMs = 1_500;

export interface Input {
  id: string;
  label: string;
}

/** Why nothing is heard. */
export type Trouble = 'lost' | 'muted' | 'interrupted' | 'silent';

interface Listener {
  /** Nothing is heard any longer, for this reason; undefined once something is heard again. */
  onTrouble(trouble: Trouble | undefined): void;
  /** Another microphone is in use: the one before was unplugged, or is no longer the default. */
  onChanged(label: string): void;
}

/** One microphone at a time, behind one stream, so it can be changed during a recording. */
export interface Microphone {
  stream: MediaStream;
  /** The current level, from 0 to 1. */
  level(): number;
  inputs(): Promise<Input[]>;
  readonly inputId: string;
  use(inputId: string): Promise<void>;
  /** Hears again: with a new track, unless this one is well. Raises `Refusal` if there is no microphone. */
  revive(): Promise<void>;
  close(): void;
}

/** Raises `Refusal` if there is no microphone, or the person or browser does not allow it. */
export async function openMicrophone({ onTrouble, onChanged }: Listener): Promise<Microphone> {
  // Browsers do not offer it on pages without TLS.
  if (!navigator.mediaDevices || typeof MediaRecorder === 'undefined') throw new Refusal(texts.insecure);
  let chosen = remembered(rememberedKey) ?? '';
  let track = await openChosen();
  let group = await defaultGroup();
  let trouble: Trouble | undefined;
  let heardAt = performance.now();
  const closed = new AbortController();
  const { signal } = closed;

  const context = new AudioContext();
  const now = analyser(512);
  // Two thirds of a second: no sound is missed between two looks.
  const lately = analyser(32_768);
  const destination = context.createMediaStreamDestination();
  let source = listen();
  await context.resume();
  context.addEventListener('statechange', () => void noteInterruption(), { signal });
  navigator.mediaDevices.addEventListener('devicechange', () => void followDefault(), { signal });
  const timer = setInterval(look, lookEveryMs);

  function analyser(fftSize: number) {
    const node = context.createAnalyser();
    node.fftSize = fftSize;
    const samples = new Float32Array(fftSize);
    const loudest = () => {
      node.getFloatTimeDomainData(samples);
      return samples.reduce((max, sample) => Math.max(max, Math.abs(sample)), 0);
    };
    return { node, loudest };
  }

  function listen(): MediaStreamAudioSourceNode {
    const next = context.createMediaStreamSource(new MediaStream([track]));
    for (const node of [now.node, lately.node, destination]) next.connect(node);
    track.onended = () => void takeNext(() => tell('lost'));
    track.onmute = look;
    track.onunmute = look;
    heardAt = performance.now();
    tell(undefined);
    return next;
  }

  function tell(next: Trouble | undefined): void {
    if (next === trouble || signal.aborted) return;
    trouble = next;
    onTrouble(next);
  }

  function replaceBy(next: MediaStreamTrack): void {
    source.disconnect();
    leave(track);
    track = next;
    source = listen();
  }

  async function takeNext(onNone: () => void): Promise<void> {
    const before = track;
    const next = await openTrack('').catch(() => undefined);
    // The person may have chosen one meanwhile.
    if (signal.aborted || track !== before) return next?.stop();
    if (!next) return onNone();
    replaceBy(next);
    onChanged(next.label);
  }

  /** Chromium lists the default one as a device of its own; elsewhere the system moves the track. */
  async function followDefault(): Promise<void> {
    const before = group;
    group = await defaultGroup();
    const follows = chosen === '' || chosen === 'default';
    if (follows && group !== before && group !== undefined && trouble !== 'lost') await takeNext(() => {});
  }

  const hasSound = () => context.state === 'running';

  async function noteInterruption(): Promise<void> {
    if (hasSound()) return;
    void context.resume().catch(() => {});
    await after(patienceMs);
    if (!hasSound()) tell('interrupted');
  }

  function look(): void {
    if (lately.loudest() > quietest) heardAt = performance.now();
    // Only a new track ends these.
    if (trouble === 'lost' || trouble === 'interrupted') return;
    const isSilent = performance.now() - heardAt > silentMs;
    tell(track.muted ? 'muted' : isSilent ? 'silent' : undefined);
  }

  /** The one that the person chose, or else any. */
  async function openChosen(): Promise<MediaStreamTrack> {
    return openTrack(chosen).catch((error: unknown) => {
      if (chosen === '') throw problemOf(error);
      return openTrack('').catch((second: unknown) => Promise.reject(problemOf(second)));
    });
  }

  return {
    stream: destination.stream,
    level: () => Math.sqrt(now.loudest()),
    async inputs() {
      const devices = await navigator.mediaDevices.enumerateDevices();
      return devices
        .filter(({ kind, deviceId }) => kind === 'audioinput' && deviceId !== '')
        .map(({ deviceId, label }) => ({ id: deviceId, label }));
    },
    get inputId() {
      return track.getSettings().deviceId ?? '';
    },
    async use(inputId) {
      const next = await openTrack(inputId).catch((error: unknown) => Promise.reject(problemOf(error)));
      if (signal.aborted) return next.stop();
      chosen = inputId;
      remember(rememberedKey, inputId);
      replaceBy(next);
    },
    async revive() {
      await Promise.race([context.resume().catch(() => {}), after(patienceMs)]);
      if (!hasSound()) throw new Refusal(texts.interrupted);
      if (!trouble && track.readyState === 'live' && !track.muted) return;
      const next = await openChosen();
      if (signal.aborted) return next.stop();
      replaceBy(next);
    },
    close() {
      closed.abort();
      clearInterval(timer);
      leave(track);
      void context.close();
    },
  };
}

function leave(track: MediaStreamTrack): void {
  track.onended = null;
  track.onmute = null;
  track.onunmute = null;
  track.stop();
}

async function openTrack(inputId: string): Promise<MediaStreamTrack> {
  const audio = { channelCount: 1, ...(inputId === '' ? {} : { deviceId: { exact: inputId } }) };
  const [track] = (await navigator.mediaDevices.getUserMedia({ audio })).getAudioTracks();
  if (!track) throw new Refusal(texts.missing);
  return track;
}

async function defaultGroup(): Promise<string | undefined> {
  const devices = await navigator.mediaDevices.enumerateDevices();
  return devices.find(({ kind, deviceId }) => kind === 'audioinput' && deviceId === 'default')?.groupId;
}

function problemOf(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  const refused = error instanceof DOMException && error.name === 'NotAllowedError';
  return new Refusal(refused ? texts.blocked : texts.missing);
}
