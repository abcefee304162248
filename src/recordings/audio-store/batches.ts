export const lengthOf = (parts: readonly Uint8Array[]) => parts.reduce((sum, { length }) => sum + length, 0);

/**
 * Hands chunks on in batches of at least so many bytes, or of what came in so many milliseconds. When `chunks` fails, the
 * rest is handed on before the error is raised.
 */
export async function inBatches(
  chunks: AsyncIterable<Uint8Array>,
  offset: number,
  least: { bytes: number; ms: number },
  take: (parts: readonly Uint8Array[], at: number) => Promise<void>,
): Promise<void> {
  let batch: Uint8Array[] = [];
  let length = 0;
  let at = offset;
  let since = performance.now();

  async function flush(): Promise<void> {
    const [parts, bytes] = [batch, length];
    [batch, length] = [[], 0];
    if (bytes > 0) await take(parts, at);
    at += bytes;
    since = performance.now();
  }

  const iterator = chunks[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await iterator.next().catch(async (error: unknown) => {
        await flush();
        throw error;
      });
      if (next.done) break;
      batch.push(next.value);
      length += next.value.length;
      if (length >= least.bytes || performance.now() - since >= least.ms) await flush();
    }
    await flush();
  } finally {
    await iterator.return?.();
  }
}
