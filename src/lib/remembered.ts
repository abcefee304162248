/** Reads a value at most once in this time: calls meanwhile get the same answer, and wait for it. A failed read is forgotten. */
export function remembered<Value>(ms: number, read: () => Promise<Value>): () => Promise<Value> {
  let known: Promise<Value> | undefined;
  let readAt = 0;
  return () => {
    if (known === undefined || performance.now() - readAt > ms) {
      readAt = performance.now();
      known = read();
      known.catch(() => {
        known = undefined;
      });
    }
    return known;
  };
}
