const loudest = 32_768;

/**
 * Whisper answers "!!!!" to NaN or infinite samples: they become silence, and the rest is cut to ±1. All have 16 bits, so that
 * a FLAC gives the words of the WAV it was made from: resampling leaves differences of a last bit, and in one recording they
 * turned "ask" into "asked".
 */
export function cleanSamples(pcm: Float32Array): Float32Array {
  const clean = new Float32Array(pcm.length);
  for (let i = 0; i < pcm.length; i++) {
    const sample = pcm[i] ?? 0;
    clean[i] = Number.isFinite(sample)
      ? Math.round(Math.max(-1, Math.min(1, sample)) * loudest) / loudest
      : 0;
  }
  return clean;
}
