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

const { decodeFile } = await import('../../src/audio/decode-file.ts');
const { defaultAudioLimits } = await import('../../src/audio/limits.ts');
const outcomes = paths.map((path) =>
  decodeFile(readFileSync(path), defaultAudioLimits).then(
    ({ durationMs }) => durationMs,
    (error: Error) => error.message,
  ),
);
process.stdout.write(JSON.stringify(await Promise.all(outcomes)));
