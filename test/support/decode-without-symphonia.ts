import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';

/** A process of its own in which no package with Symphonia can be loaded. Decodes the named files, tells what came of it. */
const [reason, ...paths] = process.argv.slice(2);

registerHooks({
  resolve(specifier, context, next) {
    if (['@napi-rs/whisper', 'node-web-audio-api'].includes(specifier)) throw new Error(reason);
    return next(specifier, context);
  },
});

const { wholeFile } = await import('../../src/engines/audio/file-bytes.ts');
const { decodeFile } = await import('../../src/engines/audio/decode-file.ts');
const { defaultAudioLimits } = await import('../../src/engines/audio/sniff.ts');
const outcomes = paths.map(async (path) => {
  const { pieces, durationMs } = await decodeFile(wholeFile(readFileSync(path)), defaultAudioLimits);
  let samples = 0;
  try {
    for await (const piece of pieces) samples += piece.length;
    return durationMs(samples);
  } catch (error) {
    return error instanceof Error ? error.message : error;
  }
});
process.stdout.write(JSON.stringify(await Promise.all(outcomes)));
