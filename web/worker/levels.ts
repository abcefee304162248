import {
  ADTS,
  AudioSampleSink,
  FLAC,
  Input,
  MATROSKA,
  MP3,
  MP4,
  OGG,
  QTFF,
  UrlSource,
  WAVE,
  WEBM,
} from 'mediabunny';

interface AudioSource {
  /** Absolute: a worker does not resolve addresses like the page does. */
  address: string;
  seconds: number;
  bars: number;
}

/** How much of each bar is decoded: enough to tell speech from silence, however long the recording is. */
const heardSeconds = 2;
const maxCacheBytes = 8 * 1024 * 1024;

self.onmessage = async ({ data }: MessageEvent<AudioSource>) =>
  self.postMessage(await levelsOf(data).catch(() => undefined));

/** The levels of a long recording, read and decoded in pieces. Undefined if the browser cannot decode it. */
async function levelsOf({ address, seconds, bars }: AudioSource): Promise<Float32Array | undefined> {
  const source = new UrlSource(address, {
    parallelism: 1,
    maxCacheSize: maxCacheBytes,
    getRetryDelay: () => null,
  });
  const input = new Input({ source, formats: [WEBM, OGG, MP4, MP3, WAVE, FLAC, QTFF, MATROSKA, ADTS] });
  const track = await input.getPrimaryAudioTrack();
  if (!track || !(await track.canDecode())) return undefined;
  const sink = new AudioSampleSink(track);
  const each = seconds / bars;
  const levels = new Float32Array(bars);
  for (const bar of levels.keys()) {
    const start = bar * each;
    let [sum, count] = [0, 0];
    for await (const sample of sink.samples(start, start + Math.min(each, heardSeconds))) {
      // Behind the end it gives the last one again.
      const isEarlier = sample.timestamp + sample.duration <= start;
      const values = new Float32Array(isEarlier ? 0 : sample.numberOfFrames);
      if (!isEarlier) sample.copyTo(values, { planeIndex: 0, format: 'f32-planar' });
      sample.close();
      for (const value of values) sum += value * value;
      count += values.length;
    }
    levels[bar] = Math.sqrt(sum / Math.max(1, count));
  }
  return levels;
}
