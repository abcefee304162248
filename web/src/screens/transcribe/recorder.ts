import { createStore, useStore } from '../../lib/store.ts';
import { strings } from '../../strings.ts';
import { Unsendable } from './problems.ts';

const texts = strings.transcribe.problems;

/** Speech stays clear at this rate; a minute is 240 kB. */
const bitsPerSecond = 32_000;
const chunkMs = 500;
/** Room for one more chunk and the container. */
const reserveBytes = 64 * 1024;
/** Chrome and Firefox support the first, Safari the last. */
const types = ['audio/webm;codecs=opus', 'audio/ogg;codecs=opus', 'audio/mp4'];

export type Recording =
  | { step: 'off' }
  | { step: 'asking' }
  | { step: 'recording'; startedAt: number; bytes: number; stream: MediaStream; maxBytes: number };

interface Options {
  /** Recording stops before the file is larger than this. */
  maxBytes: number;
  /** The next piece of sound, twice a second. */
  onChunk(chunk: Blob): void;
  /** `full`: it stopped by itself, at the size limit. */
  onFinished(file: Blob, full: boolean): void;
  onDiscarded(): void;
}

const current = createStore<Recording>({ step: 'off' });
let finish: ((discarded: boolean) => void) | undefined;

/** The recording that runs. It lives outside the screens, so that people can look at a note meanwhile. */
export const useRecording = () => useStore(current);

/** Records from the microphone. Raises `Unsendable` when there is none. */
export async function startRecording({ maxBytes, onChunk, onFinished, onDiscarded }: Options): Promise<void> {
  current.set({ step: 'asking' });
  const stream = await openMicrophone().catch((error: unknown) => {
    current.set({ step: 'off' });
    throw problemOf(error);
  });
  const mimeType = types.find((type) => MediaRecorder.isTypeSupported(type));
  const recorder = new MediaRecorder(stream, {
    audioBitsPerSecond: bitsPerSecond,
    ...(mimeType ? { mimeType } : {}),
  });
  const chunks: Blob[] = [];
  let discarded = false;
  let full = false;
  recorder.ondataavailable = ({ data }) => {
    if (discarded) return;
    chunks.push(data);
    onChunk(data);
    const recording = current.get();
    if (recorder.state !== 'recording' || recording.step !== 'recording') return;
    const bytes = recording.bytes + data.size;
    current.set({ ...recording, bytes });
    full = bytes > maxBytes - reserveBytes;
    if (full) recorder.stop();
  };
  recorder.onstop = () => {
    for (const track of stream.getTracks()) track.stop();
    finish = undefined;
    window.removeEventListener('beforeunload', warn);
    current.set({ step: 'off' });
    if (discarded) onDiscarded();
    else onFinished(new Blob(chunks, { type: recorder.mimeType }), full);
  };
  finish = (discard) => {
    discarded = discard;
    recorder.stop();
  };
  window.addEventListener('beforeunload', warn);
  recorder.start(chunkMs);
  current.set({ step: 'recording', startedAt: Date.now(), bytes: 0, stream, maxBytes });
}

export const stopRecording = () => finish?.(false);
export const discardRecording = () => finish?.(true);

const warn = (event: BeforeUnloadEvent) => event.preventDefault();

async function openMicrophone(): Promise<MediaStream> {
  // Browsers do not offer it on pages without TLS.
  if (!navigator.mediaDevices || typeof MediaRecorder === 'undefined')
    throw new Unsendable(texts.microphoneInsecure);
  return navigator.mediaDevices.getUserMedia({ audio: { channelCount: 1 } });
}

function problemOf(error: unknown): Unsendable {
  if (error instanceof Unsendable) return error;
  const refused = error instanceof DOMException && error.name === 'NotAllowedError';
  return new Unsendable(refused ? texts.microphoneRefused : texts.microphoneMissing);
}

export const extensionOf = (mimeType: string) =>
  mimeType.includes('mp4') ? 'm4a' : mimeType.includes('ogg') ? 'ogg' : 'webm';
