import { recorderStrings } from '../strings/recorder.ts';
import { Refusal } from './problems.ts';

const texts = recorderStrings.problems;
const rememberedKey = 'steno-microphone';

export interface Input {
  id: string;
  label: string;
}

/** One microphone at a time, behind one stream, so it can be changed during a recording. */
export interface Microphone {
  stream: MediaStream;
  /** The current level, from 0 to 1. */
  level(): number;
  inputs(): Promise<Input[]>;
  readonly inputId: string;
  use(inputId: string): Promise<void>;
  close(): void;
}

/** Raises `Refusal` if there is no microphone, or the person or browser does not allow it. `onLost`: it was unplugged. */
export async function openMicrophone(onLost: () => void): Promise<Microphone> {
  // Browsers do not offer it on pages without TLS.
  if (!navigator.mediaDevices || typeof MediaRecorder === 'undefined') throw new Refusal(texts.insecure);
  const remembered = localStorage.getItem(rememberedKey) ?? '';
  let track = await openTrack(remembered).catch((error: unknown) => {
    if (remembered === '') throw problemOf(error);
    return openTrack('').catch((second: unknown) => Promise.reject(problemOf(second)));
  });

  const context = new AudioContext();
  const analyser = context.createAnalyser();
  analyser.fftSize = 512;
  const destination = context.createMediaStreamDestination();
  const samples = new Float32Array(analyser.fftSize);
  let source = context.createMediaStreamSource(new MediaStream([track]));
  connect();
  await context.resume();

  function connect() {
    source.connect(analyser);
    source.connect(destination);
    track.onended = onLost;
  }

  return {
    stream: destination.stream,
    level() {
      analyser.getFloatTimeDomainData(samples);
      return Math.sqrt(samples.reduce((max, sample) => Math.max(max, Math.abs(sample)), 0));
    },
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
      localStorage.setItem(rememberedKey, inputId);
      source.disconnect();
      track.onended = null;
      track.stop();
      track = next;
      source = context.createMediaStreamSource(new MediaStream([track]));
      connect();
    },
    close() {
      track.onended = null;
      track.stop();
      void context.close();
    },
  };
}

async function openTrack(inputId: string): Promise<MediaStreamTrack> {
  const audio = { channelCount: 1, ...(inputId === '' ? {} : { deviceId: { exact: inputId } }) };
  const [track] = (await navigator.mediaDevices.getUserMedia({ audio })).getAudioTracks();
  if (!track) throw new Refusal(texts.missing);
  return track;
}

function problemOf(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  const refused = error instanceof DOMException && error.name === 'NotAllowedError';
  return new Refusal(refused ? texts.blocked : texts.missing);
}
