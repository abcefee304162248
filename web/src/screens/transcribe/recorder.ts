import { useEffect, useRef, useState } from 'react';
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
  | { step: 'recording'; startedAt: number; bytes: number; stream: MediaStream };

interface Finished {
  file: Blob;
  /** It stopped by itself, at the size limit. */
  full: boolean;
}

interface Options {
  /** Recording stops before the file is larger than this. */
  maxBytes: number;
  onFinished(finished: Finished): void;
  /** Why there is no recording. */
  onProblem(error: Unsendable): void;
}

/** Records from the microphone. */
export function useRecorder({ maxBytes, onFinished, onProblem }: Options) {
  const [recording, setRecording] = useState<Recording>({ step: 'off' });
  const recorder = useRef<MediaRecorder>(undefined);
  const handlers = useRef({ onFinished, onProblem });
  handlers.current = { onFinished, onProblem };

  async function start() {
    setRecording({ step: 'asking' });
    let stream: MediaStream;
    try {
      stream = await openMicrophone();
    } catch (error) {
      setRecording({ step: 'off' });
      return handlers.current.onProblem(problemOf(error));
    }
    const mimeType = types.find((type) => MediaRecorder.isTypeSupported(type));
    const made = new MediaRecorder(stream, {
      audioBitsPerSecond: bitsPerSecond,
      ...(mimeType ? { mimeType } : {}),
    });
    const chunks: Blob[] = [];
    let bytes = 0;
    let full = false;
    made.ondataavailable = ({ data }) => {
      chunks.push(data);
      bytes += data.size;
      if (made.state !== 'recording') return;
      setRecording((before) => (before.step === 'recording' ? { ...before, bytes } : before));
      full = bytes > maxBytes - reserveBytes;
      if (full) made.stop();
    };
    made.onstop = () => {
      for (const track of stream.getTracks()) track.stop();
      setRecording({ step: 'off' });
      if (recorder.current !== made) return;
      recorder.current = undefined;
      const file = new Blob(chunks, { type: made.mimeType });
      handlers.current.onFinished({ file, full });
    };
    recorder.current = made;
    made.start(chunkMs);
    setRecording({ step: 'recording', startedAt: Date.now(), bytes: 0, stream });
  }

  const stop = () => recorder.current?.stop();

  function discard() {
    const made = recorder.current;
    recorder.current = undefined;
    made?.stop();
  }

  // Turn the microphone off when the page is left.
  useEffect(
    () => () => {
      const made = recorder.current;
      recorder.current = undefined;
      made?.stop();
    },
    [],
  );
  useWarningBeforeLeaving(recording.step === 'recording');
  return { recording, start, stop, discard };
}

function useWarningBeforeLeaving(active: boolean): void {
  useEffect(() => {
    if (!active) return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener('beforeunload', warn);
    return () => window.removeEventListener('beforeunload', warn);
  }, [active]);
}

function openMicrophone(): Promise<MediaStream> {
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
