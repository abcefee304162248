import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createEmbeddedTranscriber } from '../../src/engines/embedded/embedded.ts';
import { decodedSamples, recordingOf } from '../../test/support/sound.ts';
import { normalise } from './wer.ts';

/**
 * How many of the names that were said are spelt right, without and with a dictionary that has them, and how many names
 * of the dictionary were written that nobody said. `--names FILE` is a list of names as JSON; those in a reference were said.
 */
const { values } = parseArgs({
  options: {
    speech: { type: 'string', default: new URL('../../test/fixtures/audio/', import.meta.url).pathname },
    references: { type: 'string' },
    names: { type: 'string' },
    verbose: { type: 'boolean', default: false },
  },
});
const references: Record<string, string> = JSON.parse(
  readFileSync(values.references ?? join(values.speech, 'references.json'), 'utf8'),
);
const names: string[] = values.names
  ? JSON.parse(readFileSync(values.names, 'utf8'))
  : ['Dashwood', 'Americans'];
const transcriber = createEmbeddedTranscriber({});
const plain = (text: string) => ` ${normalise(text).join(' ')} `;
const count = (text: string, name: string) => text.split(name).length - 1;

let [said, without, withThem, invented, words] = [0, 0, 0, 0, 0];
for (const [file, reference] of Object.entries(references)) {
  const pcm = await decodedSamples(
    readFileSync(join(values.speech, file.includes('.') ? file : `${file}.wav`)),
  );
  const hear = async (dictionary: string[]) =>
    (await transcriber.transcribe({ recording: recordingOf(pcm), userId: 'bench', dictionary })).text;
  const [before, after] = [await hear([]), await hear(names)];
  words += normalise(reference).length;
  for (const name of names) {
    const times = count(plain(reference), plain(name));
    said += times;
    without += Math.min(times, count(before, name));
    withThem += Math.min(times, count(after, name));
    const more = Math.max(
      0,
      count(plain(after), plain(name)) - Math.max(times, count(plain(before), plain(name))),
    );
    invented += more;
    if (values.verbose && more > 0) console.error(`${file}: ${name} in ${after}`);
  }
}
console.log(
  `| names said | right without | right with | written but not said | words |\n|---|---|---|---|---|`,
);
console.log(`| ${said} | ${without} | ${withThem} | ${invented} | ${words} |`);
await transcriber.close();
