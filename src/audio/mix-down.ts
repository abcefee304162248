/** One channel: the average of all. */
export function mixDown(channels: readonly Float32Array[], length: number): Float32Array {
  const mono = new Float32Array(length);
  for (const channel of channels)
    for (let i = 0; i < length; i++) mono[i] = (mono[i] ?? 0) + (channel[i] ?? 0) / channels.length;
  return mono;
}
