import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { pcmRate } from '../../src/domain/audio.ts';
import { createEmbeddedTranscriber } from '../../src/engines/speech/pool/embedded.ts';
import { locateModel } from '../../src/engines/speech/pool/model-file.ts';
import { transcribeRecording } from '../../src/features/transcribe/transcribe-recording.ts';
import { startWorkerProcess } from '../../src/lib/worker-process.ts';
import { decodedSamples, recordingOf } from '../../test/support/sound.ts';
import { changes } from './changes.ts';
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
    /** What to measure; each takes one to three minutes on two free cores. */
    parts: { type: 'string', default: 'words,quiet,speed,memory' },
    verbose: { type: 'boolean', default: false },
    /** A name of changes.ts: the recordings are made worse in this way first. */
    change: { type: 'string' },
  },
});

/** The one that users run: from the sources it loads 0.4 s later. */
const workerScript = new URL('../../dist/src/engines/speech/pool/worker.js', import.meta.url);
const create = () =>
  createEmbeddedTranscriber({ workerScript, ...(values.workers && { workers: Number(values.workers) }) });
let transcriber = create();
const isWanted = (part: string) => values.parts.split(',').includes(part);
const references: Record<string, string> = JSON.parse(
  readFileSync(values.references ?? join(values.speech, 'references.json'), 'utf8'),
);
const decode = (path: string) => decodedSamples(readFileSync(path));
const change = values.change === undefined ? undefined : changes[values.change];
if (values.change !== undefined && change === undefined)
  throw new Error(`--change is one of ${Object.keys(changes).join(', ')}`);
const hear = (pcm: Float32Array) =>
  transcribeRecording(transcriber, { recording: recordingOf(pcm), userId: 'bench' });
const timed = async <T>(work: () => Promise<T>): Promise<[T, number]> => {
  const started = performance.now();
  const result = await work();
  return [result, (performance.now() - started) / 1000];
};

const clips = await Promise.all(
  Object.entries(references).map(async ([name, reference]) => {
    const pcm = await decode(join(values.speech, name.includes('.') ? name : `${name}.wav`));
    return { name, reference, pcm: change?.(pcm) ?? pcm };
  }),
);
const row = (measure: string, figure: string, goal: string) =>
  console.log(`| ${measure} | ${figure} | ${goal} |`);
const first = clips[0];
if (!first) throw new Error('no recordings');
await hear(first.pcm);

console.log(
  `| measure (${availableParallelism()} cores, ${transcriber.status().workers.wanted} workers) | figure | goal |\n|---|---|---|`,
);

if (isWanted('words')) await measureWords();
if (values.quiet && isWanted('quiet')) await measureQuiet(values.quiet);
if (isWanted('speed')) {
  await measureLoading();
  await measureSpeed();
}
if (isWanted('memory')) await measureMemory(Number(values.files));
await transcriber.close();

async function measureWords(): Promise<void> {
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
  const quality = rankingQuality(scored);
  row(
    'scores: AUC of right words against wrong ones',
    Number.isNaN(quality) ? 'no wrong word' : quality.toFixed(2),
    '',
  );
}

/** What is no speech gives no words, and takes no more work. */
async function measureQuiet(folder: string): Promise<void> {
  const quiet = await Promise.all(readdirSync(folder).map((file) => decode(join(folder, file))));
  let heard = 0;
  const work = async (all: readonly Float32Array[]) => {
    const [before, length] = [childrenCpuSeconds(), all.reduce((sum, pcm) => sum + pcm.length, 0) / pcmRate];
    for (const pcm of all) heard += normalise((await hear(pcm)).text).length;
    return (childrenCpuSeconds() - before) / length;
  };
  const ofQuiet = await work(quiet);
  row(`words out of ${basename(folder)}/`, String(heard), '0');
  const longest = [...clips].sort((a, b) => b.pcm.length - a.pcm.length).slice(0, 4);
  const ofSpeech = await work(longest.map(({ pcm }) => pcm));
  row(
    'CPU of the workers for a second of it, against a second of speech',
    `${(ofQuiet / ofSpeech).toFixed(2)} (${ofQuiet.toFixed(3)} s, ${ofSpeech.toFixed(3)} s)`,
    '≤ 1',
  );
}

async function measureLoading(): Promise<void> {
  await transcriber.close();
  const before = childrenCpuSeconds();
  const started = performance.now();
  transcriber = create();
  while (transcriber.status().workers.ready < transcriber.status().workers.wanted) await sleep(5);
  const took = (performance.now() - started) / 1000;
  const { wanted } = transcriber.status().workers;
  row(
    `${wanted} workers loaded, after the first start; CPU of each`,
    `${seconds(took)}; ${seconds((childrenCpuSeconds() - before) / wanted)}`,
    '≤ 0.6 s',
  );
}

async function measureSpeed(): Promise<void> {
  const direct = await startDirect();
  const clip = clips.find(({ pcm }) => Math.abs(pcm.length / pcmRate - 11) < 0.5) ?? clips[0];
  if (!clip) return;
  const [ours, theirs]: [number[], number[]] = [[], []];
  for (let i = 0; i < 5; i++) {
    ours.push((await timed(() => hear(clip.pcm)))[1]);
    theirs.push((await direct.run(clip.pcm)).seconds);
  }
  row(
    `${(clip.pcm.length / pcmRate).toFixed(0)} s clip, warm, best of 5`,
    `${seconds(Math.min(...ours))}, transcribe-cpp ${seconds(Math.min(...theirs))}`,
    '≤ 0.6 s',
  );
  const long = joined(3 * 60);
  const [{ text }, took] = await timed(() => hear(long.pcm));
  const other = await direct.run(long.pcm);
  const length = long.pcm.length / pcmRate;
  row(
    `RTF on ${(length / 60).toFixed(1)} minutes`,
    `${(took / length).toFixed(3)}, transcribe-cpp ${(other.seconds / length).toFixed(3)}`,
    '≤ 0.09',
  );
  const [score, otherScore] = [wordErrors(long.reference, text), wordErrors(long.reference, other.text)];
  row(
    'WER on the same',
    `${percent(score.errors / score.words)}, transcribe-cpp ${percent(otherScore.errors / otherScore.words)}`,
    '',
  );
  direct.stop();
}

async function measureMemory(count: number): Promise<void> {
  const before = largestChildBytes();
  const short = [...clips].sort((a, b) => a.pcm.length - b.pcm.length).slice(0, 8);
  for (let i = 0; i < count; i++) await hear(short[i % short.length]?.pcm ?? new Float32Array(0));
  row(
    `largest worker before and after ${count} more files`,
    `${megabytes(before)}, ${megabytes(largestChildBytes())}`,
    'flat, ≤ 550 MB',
  );
}

function seconds(value: number): string {
  return `${value.toFixed(2)} s`;
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}

function childPids(): string[] {
  const children = readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, 'latin1');
  return children.split(' ').filter(Boolean);
}

/** Resident memory of the largest child process: a worker, since the decoder's is smaller. Linux only, 0 elsewhere. */
function largestChildBytes(): number {
  try {
    const pages = childPids().map((pid) =>
      Number(readFileSync(`/proc/${pid}/statm`, 'latin1').split(' ')[1]),
    );
    return Math.max(...pages) * 4096;
  } catch {
    return 0;
  }
}

/** Of all that are running, in ticks of 10 ms. Linux only, 0 elsewhere. */
function childrenCpuSeconds(): number {
  try {
    const ticks = childPids().map((pid) => {
      const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]?.split(' ') ?? [];
      return Number(fields[11]) + Number(fields[12]);
    });
    return ticks.reduce((sum, count) => sum + count, 0) / 100;
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
  const model = locateModel('');
  await worker.request({
    messages: [{ kind: 'load', model, threads: availableParallelism() }],
    deadlineMs,
    receive: (message) => (message === 'ready' ? true : undefined),
  });
  return {
    run: (pcm: Float32Array) =>
      worker.request({
        messages: [{ kind: 'recognise', chunk: { pcm, language: undefined } }],
        deadlineMs,
        receive: (message) => message as { text: string; seconds: number },
      }),
    stop: () => worker.kill(),
  };
}
