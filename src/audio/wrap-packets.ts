import {
  BufferTarget,
  EncodedAudioPacketSource,
  type EncodedPacket,
  Mp4OutputFormat,
  OggOutputFormat,
  Output,
} from 'mediabunny';
import { alacFile } from './alac.ts';
import type { OpenTrack } from './open-track.ts';

/** Some packets of a track as a small file that the decoder reads. The packets are copied unchanged. */
export async function wrapPackets(
  packets: readonly EncodedPacket[],
  { track, codec, alacCookie }: OpenTrack,
): Promise<Uint8Array> {
  const frames = packets.map(({ data }) => data);
  if (codec === 'mp3') return Buffer.concat(frames);
  if (alacCookie) return alacFile(frames, alacCookie);
  const decoderConfig = await track.getDecoderConfig();
  if (track.codec === null || decoderConfig === null) throw new Error('no decoder configuration');
  if (codec === 'flac') return Buffer.concat([flacHead(decoderConfig.description), ...frames]);
  const target = new BufferTarget();
  const format = codec === 'vorbis' ? new OggOutputFormat() : new Mp4OutputFormat({ fastStart: 'in-memory' });
  const output = new Output({ format, target });
  const source = new EncodedAudioPacketSource(track.codec);
  output.addAudioTrack(source);
  await output.start();
  // Each packet gets room enough for all of its samples, because what is over the told length would be cut off.
  const duration = mostSamplesPerPacket / decoderConfig.sampleRate;
  for (const [i, packet] of packets.entries())
    await source.add(packet.clone({ timestamp: i * duration, duration }), { decoderConfig });
  await output.finalize();
  if (target.buffer === null) throw new Error('nothing was written');
  return new Uint8Array(target.buffer);
}

const mostSamplesPerPacket = 8_192;

/** `fLaC` and the block STREAMINFO as the last block, without the length and the checksum of the whole (RFC 9639, 8.2). */
function flacHead(description: ArrayBufferView | ArrayBufferLike | undefined): Buffer {
  if (description === undefined) throw new Error('no STREAMINFO');
  const bytes = ArrayBuffer.isView(description)
    ? Buffer.from(description.buffer, description.byteOffset, description.byteLength)
    : Buffer.from(description);
  const head = Buffer.from(bytes.subarray(0, 42));
  head[4] = 0x80;
  head[21] = (head[21] ?? 0) & 0xf0;
  head.fill(0, 22);
  return head;
}
