import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createEmbeddedTranscriber } from '../../src/engines/speech/pool/embedded.ts';
import { transcribeRecording } from '../../src/features/transcribe/transcribe-recording.ts';
import { decodedSamples, recordingOf } from '../../test/support/sound.ts';
import { normalise } from './wer.ts';

/**
 * How many of the names that were said are spelt right, without and with a dictionary that has them, and how many names
 * of the dictionary were written that nobody said. The dictionary is `--said` and 500 family names of thirty countries.
 */
const beside = (path: string) => new URL(path, import.meta.url).pathname;
const { values } = parseArgs({
  options: {
    speech: { type: 'string', default: beside('../../test/fixtures/audio/') },
    references: { type: 'string' },
    said: { type: 'string', default: 'Dashwood,Americans' },
    names: { type: 'string', default: beside('rare-names.json') },
    /** How many names each entry of the dictionary has. */
    joined: { type: 'string', default: '1' },
    /** A folder in which nobody speaks. */
    quiet: { type: 'string' },
    /** `2/4`: only the second quarter of the recordings. */
    part: { type: 'string', default: '1/1' },
    verbose: { type: 'boolean', default: false },
  },
});
const references: Record<string, string> = JSON.parse(
  readFileSync(values.references ?? join(values.speech, 'references.json'), 'utf8'),
);
const rare: string[] = JSON.parse(readFileSync(values.names, 'utf8'));
const names = [...new Set([...values.said.split(','), ...rare])];
const joined = Number(values.joined);
const dictionary = names.flatMap((_, i) => (i % joined ? [] : [names.slice(i, i + joined).join(' ')]));
const [part = 1, parts = 1] = values.part.split('/').map(Number);
const chosen = Object.entries(references).filter((_, i) => i % parts === part - 1);
const transcriber = createEmbeddedTranscriber({});
const plain = (text: string) => ` ${normalise(text).join(' ')} `;
const count = (text: string, name: string) => text.split(name).length - 1;
const hear = async (path: string, entries: string[]) => {
  const recording = recordingOf(await decodedSamples(readFileSync(path)));
  return (await transcribeRecording(transcriber, { recording, userId: 'bench', dictionary: entries })).text;
};

let [said, without, withThem, invented, words] = [0, 0, 0, 0, 0];
for (const [file, reference] of chosen) {
  const path = join(values.speech, file.includes('.') ? file : `${file}.wav`);
  const [before, after] = [await hear(path, []), await hear(path, dictionary)];
  words += normalise(reference).length;
  for (const name of names) {
    const times = count(plain(reference), plain(name));
    const right = [before, after].map((text) => Math.min(times, count(text, name)));
    const more = count(plain(after), plain(name)) - Math.max(times, count(plain(before), plain(name)));
    said += times;
    without += right[0] ?? 0;
    withThem += right[1] ?? 0;
    invented += Math.max(0, more);
    if (values.verbose && (more > 0 || (right[1] ?? 0) < times))
      console.error(`${file}: ${more > 0 ? 'not said' : 'missed'} ${name} in: ${after}`);
  }
}
const quiet = values.quiet && part === 1 ? readdirSync(values.quiet) : [];
let heardInQuiet = 0;
for (const file of quiet)
  heardInQuiet += normalise(await hear(join(values.quiet ?? '', file), dictionary)).length;
console.log(
  '| names said | right without | right with | written but not said | words | words out of quiet recordings |\n|---|---|---|---|---|---|',
);
console.log(
  `| ${said} | ${without} | ${withThem} | ${invented} | ${words} | ${heardInQuiet} of ${quiet.length} |`,
);
await transcriber.close();
