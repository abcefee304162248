import { keepInBrowser, keptOne } from './browser-storage.ts';

/** A picture of a sound: how loud each part of it is, 0 to 255. */
export type Peaks = Uint8Array;

interface Sound {
  id: string;
  address: string;
  bytes: number;
  seconds: number;
}

const bars = 240;
/** Browsers decode a whole file at once, at its own rate: half an hour is up to 350 MB for each channel. */
const maxSeconds = 30 * 60;
const maxBytes = 64 * 1024 * 1024;
const decodedRate = 8_000;
/** Then the page may do something else: half of this takes a few milliseconds. */
const samplesAtOnce = 1_000_000;

/** Computed once from the sound and kept in this browser. Undefined for long sounds and those the browser cannot decode. */
export async function peaksOf(sound: Sound, signal: AbortSignal): Promise<Peaks | undefined> {
  const key = `peaks/${sound.id}`;
  const kept = await keptOne<Peaks>(key);
  if (kept || sound.seconds > maxSeconds || sound.bytes > maxBytes) return kept;
  try {
    const answer = await fetch(sound.address, { signal });
    if (!answer.ok) return undefined;
    const file = await answer.arrayBuffer();
    const decoded = await new OfflineAudioContext(1, 1, decodedRate).decodeAudioData(file);
    const peaks = await loudness(decoded.getChannelData(0), signal);
    void keepInBrowser(key, peaks);
    return peaks;
  } catch {
    // The player shows a plain line then.
    return undefined;
  }
}

async function loudness(samples: Float32Array, signal: AbortSignal): Promise<Peaks> {
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
  const loudest = levels.reduce((most, level) => Math.max(most, level), 0.001);
  // Ears hear ratios: the square root shows quiet speech beside loud.
  return Uint8Array.from(levels, (level) => Math.round(Math.sqrt(level / loudest) * 255));
}
