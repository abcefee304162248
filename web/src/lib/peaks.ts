import { keepInBrowser, keptOne } from './browser-storage.ts';

/** A waveform: the level of each part, 0 to 255. */
export type Peaks = Uint8Array;

interface AudioSource {
  id: string;
  address: string;
  bytes: number;
  seconds: number;
}

const bars = 240;
/**
 * Browsers decode a whole file at once, at its own rate: a quarter of an hour is up to 175 MB for each channel. Longer ones
 * are decoded in pieces by a worker, whose code has to be fetched.
 */
const wholeSeconds = 15 * 60;
const wholeBytes = 32 * 1024 * 1024;
/** A waveform is not worth a larger download. */
const maxBytes = 512 * 1024 * 1024;
const decodedRate = 8_000;
/** After this many samples the page gets a turn: half of this takes a few milliseconds. */
const samplesAtOnce = 1_000_000;

/** Computed once from the audio and kept in this browser. Undefined for what the browser cannot decode. */
export async function peaksOf(audio: AudioSource, signal: AbortSignal): Promise<Peaks | undefined> {
  const key = `peaks/${audio.id}`;
  const kept = await keptOne<Peaks>(key);
  if (kept || audio.bytes > maxBytes) return kept;
  const isLong = audio.seconds > wholeSeconds || audio.bytes > wholeBytes;
  try {
    const levels = isLong ? await longLevelsOf(audio, signal) : await levelsOf(audio.address, signal);
    if (!levels) return undefined;
    const peaks = toPeaks(levels);
    void keepInBrowser(key, peaks);
    return peaks;
  } catch {
    // The player shows a plain line then.
    return undefined;
  }
}

/** In a worker: an hour takes seconds of computing. */
function longLevelsOf(
  { address, seconds }: AudioSource,
  signal: AbortSignal,
): Promise<Float32Array | undefined> {
  const { promise, resolve } = Promise.withResolvers<Float32Array | undefined>();
  const worker = new Worker(new URL('../../worker/levels.ts', import.meta.url), { type: 'module' });
  worker.onmessage = ({ data }) => resolve(data);
  worker.onerror = () => resolve(undefined);
  signal.addEventListener('abort', () => resolve(undefined));
  worker.postMessage({ address: new URL(address, window.location.href).href, seconds, bars });
  return promise.finally(() => worker.terminate());
}

async function levelsOf(address: string, signal: AbortSignal): Promise<Float32Array | undefined> {
  const answer = await fetch(address, { signal });
  if (!answer.ok) return undefined;
  const file = await answer.arrayBuffer();
  const decoded = await new OfflineAudioContext(1, 1, decodedRate).decodeAudioData(file);
  const samples = decoded.getChannelData(0);
  const levels = new Float32Array(bars);
  const size = samples.length / bars;
  let sinceRest = 0;
  for (let bar = 0; bar < bars; bar++) {
    let sum = 0;
    const end = Math.floor((bar + 1) * size);
    const start = Math.floor(bar * size);
    for (let at = start; at < end; at++) sum += (samples[at] ?? 0) ** 2;
    levels[bar] = Math.sqrt(sum / Math.max(1, end - start));
    sinceRest += end - start;
    if (sinceRest > samplesAtOnce) {
      sinceRest = 0;
      await new Promise((resolve) => setTimeout(resolve));
      signal.throwIfAborted();
    }
  }
  return levels;
}

function toPeaks(levels: Float32Array): Peaks {
  const loudest = levels.reduce((most, level) => Math.max(most, level), 0.001);
  // Loudness is perceived as ratios; the square root keeps quiet speech visible beside loud speech.
  return Uint8Array.from(levels, (level) => Math.round(Math.sqrt(level / loudest) * 255));
}
