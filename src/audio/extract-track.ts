import {
  BufferTarget,
  EncodedAudioPacketSource,
  EncodedPacketSink,
  Mp4OutputFormat,
  OggOutputFormat,
  Output,
} from 'mediabunny';
import type { OpenTrack } from './open-track.ts';

/**
 * The audio track alone, in a container that the decoder (Symphonia) reads: of an MP4 it takes the first track, which
 * is the picture in a video, and it refuses common ADTS files. The packets are copied unchanged.
 */
export async function extractTrack({ track, firstSecond }: OpenTrack): Promise<Uint8Array> {
  const codec = track.codec;
  const decoderConfig = await track.getDecoderConfig();
  if (codec === null || decoderConfig === null) throw new Error('no decoder configuration');
  const target = new BufferTarget();
  const format = codec === 'vorbis' ? new OggOutputFormat() : new Mp4OutputFormat({ fastStart: 'in-memory' });
  const output = new Output({ format, target });
  const source = new EncodedAudioPacketSource(codec);
  output.addAudioTrack(source);
  await output.start();
  for await (const packet of new EncodedPacketSink(track).packets())
    await source.add(packet.clone({ timestamp: packet.timestamp - firstSecond }), { decoderConfig });
  await output.finalize();
  if (target.buffer === null) throw new Error('nothing was written');
  return new Uint8Array(target.buffer);
}
