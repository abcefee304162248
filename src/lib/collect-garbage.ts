/**
 * Frees young objects. V8 lets 64 MB of buffers pile up before it looks for those that nobody needs, because it counts only
 * the few bytes of an object that refers to one. The server and the decoders are started with `--expose-gc`; others do
 * without.
 */
export const collectGarbage = () => void globalThis.gc?.({ type: 'minor' });
