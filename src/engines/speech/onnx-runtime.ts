// The only door to ONNX Runtime: code that comes in here has switched off its reports first.
import './no-telemetry.ts';

// biome-ignore lint/style/noRestrictedImports: this is the door.
export { InferenceSession, Tensor } from 'onnxruntime-node';

/**
 * Threads of the decoder and of the speaker network, which run at the same time. The decoder reads all its weights for
 * each token and waits for the memory: with one thread it takes a tenth longer than with two (docs/decisions/0168-two-workers-one-clip.md).
 */
export const halfOf = (threads: number) => Math.max(1, Math.floor(threads / 2));
