import { OpusDecoder } from 'opus-decoder';
import { pcmRate } from '../domain/audio.ts';
import { damagedAudio } from '../domain/speech-errors.ts';
import type { OpenTrack } from './open-track.ts';
import { inPieces, mixDown, withoutFirst } from './samples.ts';

const opusRate = 48_000;

/** libopus gives 16 kHz itself, so nothing is resampled here. */
export async function* decodeOpus(opened: OpenTrack): AsyncGenerator<Float32Array> {
  const { preSkip, layout } = readOpusHead((await opened.track.getDecoderConfig())?.description, opened);
  const decoder = new OpusDecoder({ ...layout, sampleRate: pcmRate });
  await decoder.ready;
  try {
    const runIn = Math.round((preSkip * pcmRate) / opusRate);
    yield* withoutFirst(
      runIn,
      inPieces(decodePackets(opened, decoder), opened.isLive ? pcmRate / 10 : pcmRate),
    );
  } finally {
    decoder.free();
  }
}

async function* decodePackets(
  { packets }: OpenTrack,
  decoder: OpusDecoder<typeof pcmRate>,
): AsyncGenerator<Float32Array> {
  let [decoded, failed] = [0, 0];
  for await (const packet of packets()) {
    const { channelData, samplesDecoded, errors } = decoder.decodeFrame(packet.data);
    failed += errors.length;
    if (samplesDecoded === 0) continue;
    decoded += 1;
    yield mixDown(channelData, samplesDecoded);
  }
  if (failed > decoded) throw damagedAudio(new Error(`${failed} broken Opus packets`));
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
