import { useEffect, useRef, useState } from 'react';
import { strings } from '../../strings.ts';
import { maxBytes, Unsendable } from './problems.ts';

const words = strings.transcribe.problems;

/** Speech stays clear at this rate, and 4 MB last about a quarter of an hour. */
const bitsPerSecond = 32_000;
const chunkMs = 500;
/** What one more chunk and the container may add. */
const reserveBytes = 64 * 1024;
/** Chrome and Firefox make the first, Safari the last. */
const types = ['audio/webm;codecs=opus', 'audio/ogg;codecs=opus', 'audio/mp4'];

export type Recording =
  | { step: 'off' }
  | { step: 'asking' }
  | { step: 'recording'; startedAt: number; bytes: number; stream: MediaStream };

interface Finished {
  file: Blob;
  name: string;
  /** It was ended because it may not grow any more. */
  full: boolean;
}

/** Records from the microphone; `onFinished` gets the recording, `onProblem` why there is none. */
export function useRecorder(
  onFinished: (finished: Finished) => void,
  onProblem: (error: Unsendable) => void,
) {
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
      handlers.current.onFinished({ file, name: `recording.${extensionOf(made.mimeType)}`, full });
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

  // Nobody wants a microphone that listens on after its page is left.
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
  // Browsers leave it out on pages without TLS.
  if (!navigator.mediaDevices || typeof MediaRecorder === 'undefined')
    throw new Unsendable(words.microphoneInsecure);
  return navigator.mediaDevices.getUserMedia({ audio: { channelCount: 1 } });
}

function problemOf(error: unknown): Unsendable {
  if (error instanceof Unsendable) return error;
  const refused = error instanceof DOMException && error.name === 'NotAllowedError';
  return new Unsendable(refused ? words.microphoneRefused : words.microphoneMissing);
}

export const extensionOf = (mimeType: string) =>
  mimeType.includes('mp4') ? 'm4a' : mimeType.includes('ogg') ? 'ogg' : 'webm';
