import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { pcmRate } from '../../src/domain/audio.ts';
import { createEmbeddedTranscriber } from '../../src/engines/embedded/embedded.ts';
import { findModel } from '../../src/engines/embedded/model-file.ts';
import { startWorkerProcess } from '../../src/lib/worker-process.ts';
import { decodedSamples, recordingOf } from '../../test/support/sound.ts';
import { rankingQuality, type ScoredWord, scoreWords } from './scores.ts';
import { normalise, wordErrors } from './wer.ts';

/** Prints the table of bench/speech/README.md. All figures are of one run, next to `transcribe-cpp` on the same model file. */
const fixtures = new URL('../../test/fixtures/audio/', import.meta.url).pathname;
const { values } = parseArgs({
  options: {
    speech: { type: 'string', default: fixtures },
    references: { type: 'string' },
    quiet: { type: 'string' },
    files: { type: 'string', default: '200' },
    workers: { type: 'string' },
    verbose: { type: 'boolean', default: false },
  },
});

const transcriber = createEmbeddedTranscriber(values.workers ? { workers: Number(values.workers) } : {});
const references: Record<string, string> = JSON.parse(
  readFileSync(values.references ?? join(values.speech, 'references.json'), 'utf8'),
);
const decode = (path: string) => decodedSamples(readFileSync(path));
const hear = (pcm: Float32Array) => transcriber.transcribe({ recording: recordingOf(pcm), userId: 'bench' });
const timed = async <T>(work: () => Promise<T>): Promise<[T, number]> => {
  const started = performance.now();
  const result = await work();
  return [result, (performance.now() - started) / 1000];
};

const clips = await Promise.all(
  Object.entries(references).map(async ([name, reference]) => ({
    name,
    reference,
    pcm: await decode(join(values.speech, name.includes('.') ? name : `${name}.wav`)),
  })),
);
const row = (measure: string, figure: string, goal: string) =>
  console.log(`| ${measure} | ${figure} | ${goal} |`);
const first = clips[0];
if (!first) throw new Error('no recordings');
await hear(first.pcm);

console.log(
  `| measure (${availableParallelism()} cores, ${transcriber.status().workers.wanted} workers) | figure | goal |\n|---|---|---|`,
);

let [errors, words] = [0, 0];
const scored: ScoredWord[] = [];
for (const { name, reference, pcm } of clips) {
  const { text, segments } = await hear(pcm);
  scored.push(
    ...scoreWords(
      reference,
      segments.flatMap((segment) => segment.words),
    ),
  );
  const score = wordErrors(reference, text);
  errors += score.errors;
  words += score.words;
  if (values.verbose && score.errors > 0) console.error(name, score.errors, text);
}
row(`WER, ${clips.length} clips, ${words} words`, percent(errors / words), '≤ 4 %');
row('scores: AUC of right words against wrong ones', rankingQuality(scored).toFixed(2), '');

if (values.quiet) {
  let heard = 0;
  for (const file of readdirSync(values.quiet))
    heard += normalise((await hear(await decode(join(values.quiet, file)))).text).length;
  row(`words out of ${basename(values.quiet)}/`, String(heard), '0');
}

const direct = await startDirect();
const clip = clips.find(({ pcm }) => Math.abs(pcm.length / pcmRate - 11) < 0.5) ?? first;
const [ours, theirs]: [number[], number[]] = [[], []];
for (let i = 0; i < 5; i++) {
  ours.push((await timed(() => hear(clip.pcm)))[1]);
  theirs.push((await direct.run(clip.pcm)).seconds);
}
const seconds = (value: number) => `${value.toFixed(2)} s`;
row(
  `${(clip.pcm.length / pcmRate).toFixed(0)} s clip, warm, best of 5`,
  `${seconds(Math.min(...ours))}, transcribe-cpp ${seconds(Math.min(...theirs))}`,
  '≤ 0.6 s',
);

const long = joined(3 * 60);
const [{ text: longText }, longSeconds] = await timed(() => hear(long.pcm));
const directLong = await direct.run(long.pcm);
const length = long.pcm.length / pcmRate;
row(
  `RTF on ${(length / 60).toFixed(1)} minutes`,
  `${(longSeconds / length).toFixed(3)}, transcribe-cpp ${(directLong.seconds / length).toFixed(3)}`,
  '≤ 0.09',
);
const score = wordErrors(long.reference, longText);
const directScore = wordErrors(long.reference, directLong.text);
row(
  'WER on the same',
  `${percent(score.errors / score.words)}, transcribe-cpp ${percent(directScore.errors / directScore.words)}`,
  '',
);
direct.stop();

const before = largestChildBytes();
const short = [...clips].sort((a, b) => a.pcm.length - b.pcm.length).slice(0, 8);
const count = Number(values.files);
for (let i = 0; i < count; i++) await hear(short[i % short.length]?.pcm ?? first.pcm);
const after = largestChildBytes();
row(
  `largest worker before and after ${count} more files`,
  `${megabytes(before)}, ${megabytes(after)}`,
  'flat, ≤ 550 MB',
);

await transcriber.close();

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}

/** Resident memory of the largest child process: a worker, since the decoder's is smaller. Linux only, 0 elsewhere. */
function largestChildBytes(): number {
  try {
    const children = readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, 'latin1')
      .trim()
      .split(' ');
    const pages = children.map((pid) => Number(readFileSync(`/proc/${pid}/statm`, 'latin1').split(' ')[1]));
    return Math.max(...pages) * 4096;
  } catch {
    return 0;
  }
}

function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1e6)} MB`;
}

/** All clips with half a second between them, over and over, until it is long enough. */
function joined(wantedSeconds: number): { pcm: Float32Array; reference: string } {
  const parts: typeof clips = [];
  let samples = 0;
  for (let i = 0; samples < wantedSeconds * pcmRate; i++) {
    const part = clips[i % clips.length];
    if (!part) break;
    parts.push(part);
    samples += part.pcm.length + pcmRate / 2;
  }
  const pcm = new Float32Array(samples);
  let at = 0;
  for (const part of parts) {
    pcm.set(part.pcm, at);
    at += part.pcm.length + pcmRate / 2;
  }
  return { pcm, reference: parts.map(({ reference }) => reference).join(' ') };
}

async function startDirect() {
  const worker = startWorkerProcess({ script: new URL('./direct.ts', import.meta.url), memoryCapBytes: 8e9 });
  const deadlineMs = 600_000;
  const model = await findModel('');
  await worker.request({
    messages: [{ kind: 'load', model, threads: availableParallelism() }],
    deadlineMs,
    receive: (message) => (message === 'ready' ? true : undefined),
  });
  return {
    run: (pcm: Float32Array) =>
      worker.request({
        messages: [{ kind: 'recognise', stretch: { pcm, language: undefined } }],
        deadlineMs,
        receive: (message) => message as { text: string; seconds: number },
      }),
    stop: () => worker.kill(),
  };
}
