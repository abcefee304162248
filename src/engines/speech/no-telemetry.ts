// ONNX Runtime since 1.29 sends reports and a number for the machine to its maker. It asks for this once, when it is loaded.
process.env.ORT_DISABLE_TELEMETRY = '1';
