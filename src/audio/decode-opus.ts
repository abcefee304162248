import { EncodedPacketSink } from 'mediabunny';
import { OpusDecoder } from 'opus-decoder';
import { pcmRate } from '../domain/audio.ts';
import { damagedAudio } from '../domain/speech-errors.ts';
import { joinSamples } from './join-samples.ts';
import { type AudioLimits, refuseTooLong } from './limits.ts';
import { mixDown } from './mix-down.ts';
import type { OpenTrack } from './open-track.ts';

const opusRate = 48_000;

/** libopus gives 16 kHz itself, so nothing is resampled here. */
export async function decodeOpus(opened: OpenTrack, limits: AudioLimits): Promise<Float32Array> {
  const head = readOpusHead((await opened.track.getDecoderConfig())?.description, opened);
  const decoder = new OpusDecoder({ ...head.layout, sampleRate: pcmRate });
  await decoder.ready;
  try {
    const pieces: Float32Array[] = [];
    let samples = 0;
    let failed = 0;
    for await (const packet of new EncodedPacketSink(opened.track).packets()) {
      const { channelData, samplesDecoded, errors } = decoder.decodeFrame(packet.data);
      failed += errors.length;
      if (samplesDecoded === 0) continue;
      pieces.push(mixDown(channelData, samplesDecoded));
      samples += samplesDecoded;
      refuseTooLong(samples / pcmRate, limits);
    }
    if (failed > pieces.length) throw damagedAudio(new Error(`${failed} broken Opus packets`));
    return joinSamples(pieces, samples).subarray(Math.round((head.preSkip * pcmRate) / opusRate));
  } finally {
    decoder.free();
  }
}

/** The identification header of RFC 7845, section 5.1; WebM carries the same bytes. */
function readOpusHead(description: ArrayBufferView | ArrayBufferLike | undefined, { track }: OpenTrack) {
  const channels = track.numberOfChannels;
  const bytes = description === undefined ? new Uint8Array() : asBytes(description);
  const preSkip = bytes.length >= 12 ? (bytes[10] ?? 0) | ((bytes[11] ?? 0) << 8) : 0;
  const family = bytes[18] ?? 0;
  if (family === 0 || bytes.length < 21 + channels) {
    const coupled = channels > 1 ? 1 : 0;
    return {
      preSkip,
      layout: {
        channels: coupled + 1,
        streamCount: 1,
        coupledStreamCount: coupled,
        channelMappingTable: coupled ? [0, 1] : [0],
      },
    };
  }
  return {
    preSkip,
    layout: {
      channels,
      streamCount: bytes[19] ?? 1,
      coupledStreamCount: bytes[20] ?? 0,
      channelMappingTable: [...bytes.subarray(21, 21 + channels)],
    },
  };
}

const asBytes = (source: ArrayBufferView | ArrayBufferLike) =>
  ArrayBuffer.isView(source)
    ? new Uint8Array(source.buffer, source.byteOffset, source.byteLength)
    : new Uint8Array(source);
