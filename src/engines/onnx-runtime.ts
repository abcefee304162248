// The only door to ONNX Runtime: whoever comes in here has switched its reports off first.
import './no-telemetry.ts';

// biome-ignore lint/style/noRestrictedImports: this is the door.
export { InferenceSession, Tensor } from 'onnxruntime-node';
