/** Whisper answers "!!!!" to NaN or infinite samples: they become silence, and the rest is cut to ±1. */
export function cleanSamples(pcm: Float32Array): Float32Array {
  const clean = new Float32Array(pcm.length);
  for (let i = 0; i < pcm.length; i++) {
    const sample = pcm[i] ?? 0;
    clean[i] = Number.isFinite(sample) ? Math.max(-1, Math.min(1, sample)) : 0;
  }
  return clean;
}
