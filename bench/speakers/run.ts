import { appendFileSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { pcmRate } from '../../src/domain/audio.ts';
import {
  embedSpeakers,
  loadSpeakerNetwork,
  packEmbeddings,
  type SpeakerEmbedding,
  unpackEmbeddings,
} from '../../src/engines/speech/diarize/embed.ts';
import { cacheFolders, speakerModel } from '../../src/engines/speech/pool/model-file.ts';
import { decodedSamples, recordingOf } from '../../test/support/sound.ts';
import { prepareModel } from '../../tools/prepare-model/prepare.ts';
import { alone, conversation, type Person, type Recording, randomNumbers } from './recordings.ts';
import { errorShare, peopleIn } from './score.ts';

/** Prints the table of bench/speakers/README.md. */
const { values } = parseArgs({
  options: {
    /** `{"name": ["clip.wav", …]}`: the clips of each person, beside this file. */
    people: { type: 'string' },
    conversations: { type: 'string', default: '6' },
    seed: { type: 'string', default: '1' },
    verbose: { type: 'boolean', default: false },
    /** Where to write what was computed, to try other thresholds on it. */
    save: { type: 'string' },
  },
});
const peopleFile =
  values.people ?? new URL('../../test/fixtures/audio/people.json', import.meta.url).pathname;

const people: Person[] = [];
const listed: Record<string, string[]> = JSON.parse(readFileSync(peopleFile, 'utf8'));
for (const [name, files] of Object.entries(listed)) {
  const clips: Float32Array[] = [];
  for (const file of files)
    clips.push(await decodedSamples(readFileSync(resolve(dirname(peopleFile), file))));
  people.push({ name, clips });
}

const network = await loadSpeakerNetwork(prepareModel(speakerModel(), cacheFolders()), 1);
const random = randomNumbers(Number(values.seed));
let [work, length] = [0, 0];

async function voicesIn({ pcm }: Recording): Promise<SpeakerEmbedding[]> {
  const voices: SpeakerEmbedding[] = [];
  for await (const chunk of recordingOf(pcm).chunks()) {
    const started = process.cpuUsage();
    const found = await embedSpeakers(chunk, network);
    const used = process.cpuUsage(started);
    work += (used.user + used.system) / 1e6;
    voices.push(...unpackEmbeddings(packEmbeddings(found), chunk.start));
  }
  length += pcm.length / pcmRate;
  return voices;
}

async function judge(recording: Recording) {
  const voices = await voicesIn(recording);
  const found = peopleIn(voices);
  const error = errorShare(recording.truth, voices);
  if (values.save) {
    const kept = voices.map((voice) => ({ ...voice, vector: [...voice.vector] }));
    appendFileSync(values.save, `${JSON.stringify({ ...recording, pcm: undefined, voices: kept })}\n`);
  }
  if (values.verbose) console.error(recording.name, `found ${found}`, `${(error * 100).toFixed(1)} %`);
  return { found, error };
}

console.log(
  '| recordings | number right | too many | too few | wrong speaker, share of the time |\n|---|---|---|---|---|',
);
const report = (title: string, count: number, results: readonly { found: number; error: number }[]) => {
  const share = (test: (found: number) => boolean) => results.filter(({ found }) => test(found)).length;
  const error = results.reduce((sum, result) => sum + result.error, 0) / results.length;
  console.log(
    `| ${title} | ${share((n) => n === count)} of ${results.length} | ${share((n) => n > count)} | ${share((n) => n < count)} | ${(error * 100).toFixed(1)} % |`,
  );
};

const single: Awaited<ReturnType<typeof judge>>[] = [];
for (const person of people)
  for (const recording of alone(person, random)) single.push(await judge(recording));
report('one person', 1, single);
for (const count of [2, 3, 4]) {
  const results: typeof single = [];
  for (let i = 0; i < Number(values.conversations); i++) {
    const chosen = [...people].sort(() => random() - 0.5).slice(0, count);
    results.push(await judge(conversation(chosen, 4, random)));
  }
  report(`${count} people`, count, results);
}
console.log(
  `\n${((work / length) * 1000).toFixed(1)} ms of one core for each second, ${length.toFixed(0)} s in all`,
);
