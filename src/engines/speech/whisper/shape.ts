import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Sizes of a Whisper model, in the order the header of a GGML file has them. */
export interface WhisperShape {
  vocabulary: number;
  audioContext: number;
  audioState: number;
  audioHeads: number;
  audioLayers: number;
  textContext: number;
  textState: number;
  textHeads: number;
  textLayers: number;
  mels: number;
}

/** Of a GGML file: the mark and the sizes; a number that tells how the weights are packed comes after them. */
export const shapeBytes = 44;

export function readShape(head: DataView): WhisperShape {
  const at = (index: number) => head.getInt32(4 + index * 4, true);
  return {
    vocabulary: at(0),
    audioContext: at(1),
    audioState: at(2),
    audioHeads: at(3),
    audioLayers: at(4),
    textContext: at(5),
    textState: at(6),
    textHeads: at(7),
    textLayers: at(8),
    mels: at(9),
  };
}

/** The files with weights of a folder as transformers.js publishes it. */
export const hubWeights = (folder: string) =>
  ['encoder_model', 'decoder_model_merged'].map((name) => join(folder, 'onnx', `${name}_quantized.onnx`)) as [
    encoder: string,
    decoder: string,
  ];

/** From `config.json` of such a folder. */
export function readHubShape(folder: string): WhisperShape {
  const config: Record<string, number> = JSON.parse(readFileSync(join(folder, 'config.json'), 'utf8'));
  const size = (key: string) => {
    const value = config[key];
    if (!Number.isInteger(value))
      throw new Error(`${folder} is no Whisper model: its config.json has no ${key}`);
    return value as number;
  };
  return {
    vocabulary: size('vocab_size'),
    audioContext: size('max_source_positions'),
    audioState: size('d_model'),
    audioHeads: size('encoder_attention_heads'),
    audioLayers: size('encoder_layers'),
    textContext: size('max_target_positions'),
    textState: size('d_model'),
    textHeads: size('decoder_attention_heads'),
    textLayers: size('decoder_layers'),
    mels: size('num_mel_bins'),
  };
}
