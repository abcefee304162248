/** Where the average has less than this share of the loudest channel's energy, the channels cancel each other. */
const lostShare = 0.1;

/**
 * One channel: the average of all. But a cable wired the wrong way round makes one channel the negative of the other,
 * so that their average is silence, and a speaker on one of four channels loses 12 dB. There one loud channel is taken alone:
 * the first that has half the energy of the loudest, so that neighbouring pieces take the same one.
 */
export function mixDown(channels: readonly Float32Array[], length: number): Float32Array {
  const [first] = channels;
  if (channels.length === 1 && first) return first.slice(0, length);
  const mono = new Float32Array(length);
  for (const channel of channels)
    for (let i = 0; i < length; i++) mono[i] = (mono[i] ?? 0) + (channel[i] ?? 0) / channels.length;
  const energies = channels.map((channel) => energyOf(channel, length));
  const loudest = Math.max(...energies);
  if (energyOf(mono, length) >= loudest * lostShare) return mono;
  const loud = channels.find((_, i) => (energies[i] ?? 0) >= loudest / 2);
  return loud ? loud.slice(0, length) : mono;
}

function energyOf(channel: Float32Array, length: number): number {
  let energy = 0;
  for (let i = 0; i < length; i++) energy += (channel[i] ?? 0) ** 2;
  return energy;
}
