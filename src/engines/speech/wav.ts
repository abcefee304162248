import { pcmRate } from '../../domain/audio.ts';

/** 16-bit mono WAV: every server reads it. */
export function toWav(pcm: Float32Array): Uint8Array<ArrayBuffer> {
  const headerBytes = 44;
  const wav = new Uint8Array(headerBytes + pcm.length * 2);
  const view = new DataView(wav.buffer);
  const tag = (at: number, text: string) => wav.set(new TextEncoder().encode(text), at);
  tag(0, 'RIFF');
  view.setUint32(4, wav.length - 8, true);
  tag(8, 'WAVEfmt ');
  view.setUint32(16, 16, true);
  view.setUint16(20, 1, true);
  view.setUint16(22, 1, true);
  view.setUint32(24, pcmRate, true);
  view.setUint32(28, pcmRate * 2, true);
  view.setUint16(32, 2, true);
  view.setUint16(34, 16, true);
  tag(36, 'data');
  view.setUint32(40, pcm.length * 2, true);
  for (let i = 0; i < pcm.length; i++) view.setInt16(headerBytes + i * 2, (pcm[i] ?? 0) * 32_767, true);
  return wav;
}
