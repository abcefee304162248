import loadFvad from '@echogarden/fvad-wasm';
import { pcmRate } from '../../domain/audio.ts';
import { DecoderUnavailable } from '../../domain/speech-errors.ts';
import type { VoiceActivity } from '../ports/vad.ts';

export const frameSamples = 480;
const frameSeconds = frameSamples / pcmRate;
/** 0 to 3. In 11 s of speech at 3 % of its loudness, 1 finds 8.2 s of speech, 2 finds 6.9 s and 3 finds 2.5 s. */
const aggressiveness = 1;

/**
 * The VAD of WebRTC, and one more rule: it takes a tone or steady noise for speech (all of 5 s of a sine, all of
 * 10 s of white noise), but their level hardly changes, and the level of speech does.
 */
export async function createVad() {
  const fvad = await fvadModule();
  const handle = fvad._fvad_new();
  const buffer = fvad._malloc(frameSamples * 2);
  fvad._fvad_set_mode(handle, aggressiveness);
  fvad._fvad_set_sample_rate(handle, pcmRate);
  let flags: number[] = [];
  let levels: number[] = [];
  /** Frames at the beginning of both that are forgotten, and only kept because the next ones are judged by them. */
  let before = 0;
  let peak = 0;
  const withoutHum = createHumFilter();
  return {
    /** The next samples of the recording: whole frames. */
    push(pcm: Float32Array): void {
      const filtered = withoutHum(pcm);
      for (let i = 0; i < pcm.length; i++) peak = Math.max(peak, Math.abs(pcm[i] as number));
      const gain = quietGain(peak);
      for (let at = 0; at + frameSamples <= pcm.length; at += frameSamples) {
        copyFrame(pcm.subarray(at, at + frameSamples), gain, fvad.HEAP16.subarray(buffer / 2));
        levels.push(levelOf(filtered.subarray(at, at + frameSamples), gain));
        flags.push(fvad._fvad_process(handle, buffer, frameSamples) === 1 ? 1 : 0);
      }
    },
    /** Of what was pushed and not forgotten. The last half second may still change. */
    activity(): VoiceActivity {
      const frames = Uint8Array.from(flags);
      clearSteady(frames, levels);
      return { frames: keepRuns(frames).subarray(before), frameSeconds };
    },
    forget(frames: number): void {
      const gone = Math.max(0, before + frames - steadyWindow - shortestRunFrames);
      before += frames - gone;
      flags = flags.slice(gone);
      levels = levels.slice(gone);
    },
    free(): void {
      fvad._free(buffer);
      fvad._fvad_free(handle);
    },
  };
}

let loading: ReturnType<typeof loadFvad> | undefined;
const fvadModule = () => {
  loading ??= loadFvad().catch((cause: unknown) => {
    throw new DecoderUnavailable(cause);
  });
  return loading;
};

const lowestVoiceHertz = 100;

/**
 * A high-pass (Butterworth, second order). With an offset of the microphone, or the hum of the mains, the level of speech
 * hardly changes, so it was taken for steady noise: with an offset of 0.15, 685 of 702 words were lost
 * (docs/decisions/0145-changed-recordings.md).
 */
function createHumFilter(): (pcm: Float32Array) => Float32Array {
  const turn = Math.tan((Math.PI * lowestVoiceHertz) / pcmRate);
  const scale = 1 / (1 + Math.SQRT2 * turn + turn ** 2);
  const [first, second] = [2 * (turn ** 2 - 1) * scale, (1 - Math.SQRT2 * turn + turn ** 2) * scale];
  let [x1, x2, y1, y2] = [0, 0, 0, 0];
  return (pcm) => {
    const filtered = new Float32Array(pcm.length);
    for (let i = 0; i < pcm.length; i++) {
      const x = pcm[i] as number;
      const y = scale * (x - 2 * x1 + x2) - first * y1 - second * y2;
      x2 = x1;
      x1 = x;
      y2 = y1;
      y1 = y;
      filtered[i] = y;
    }
    return filtered;
  };
}

/** Whisper still recognises speech that is 20 dB too quiet; the VAD of WebRTC does not. By the loudest sample so far. */
const quietGain = (peak: number) => (peak > 0 ? Math.min(10, Math.max(1, 0.5 / peak)) : 1);

/** As 16-bit samples. */
function copyFrame(frame: Float32Array, gain: number, target: Int16Array): void {
  for (let i = 0; i < frameSamples; i++)
    target[i] = Math.max(-1, Math.min(1, (frame[i] ?? 0) * gain)) * 32_767;
}

/** In dB. */
function levelOf(frame: Float32Array, gain: number): number {
  let energy = 1e-10;
  for (let i = 0; i < frame.length; i++) energy += ((frame[i] as number) * gain) ** 2;
  return 10 * Math.log10(energy / frameSamples);
}

const steadyWindow = 16;
const steadyDeviationDb = 1.8;

/** Clears the flag of frames whose level hardly changes in the half second before and after. */
function clearSteady(frames: Uint8Array, levels: readonly number[]): void {
  const count = frames.length;
  const sums = new Float64Array(count + 1);
  const squares = new Float64Array(count + 1);
  for (let i = 0; i < count; i++) {
    const level = levels[i] ?? 0;
    sums[i + 1] = (sums[i] ?? 0) + level;
    squares[i + 1] = (squares[i] ?? 0) + level * level;
  }
  for (let i = 0; i < count; i++) {
    const from = Math.max(0, i - steadyWindow);
    const to = Math.min(count, i + steadyWindow + 1);
    const mean = ((sums[to] ?? 0) - (sums[from] ?? 0)) / (to - from);
    const variance = ((squares[to] ?? 0) - (squares[from] ?? 0)) / (to - from) - mean * mean;
    if (variance < steadyDeviationDb ** 2) frames[i] = 0;
  }
}

const shortestRunFrames = 4;

/** Drops clicks: less than 120 ms is shorter than the shortest spoken word. */
function keepRuns(frames: Uint8Array): Uint8Array {
  const kept = new Uint8Array(frames.length);
  for (let from = 0; from < frames.length; ) {
    let to = from;
    while (to < frames.length && frames[to] === 1) to++;
    if (to - from >= shortestRunFrames) kept.fill(1, from, to);
    from = Math.max(to, from + 1);
  }
  return kept;
}
