import { open, stat } from 'node:fs/promises';
import { type Command, Option } from 'commander';
import { acceptedAudio } from '../domain/audio.ts';
import { toParagraphs, toSrt, toVtt } from '../domain/subtitles.ts';
import { maxSpeakers } from '../domain/transcription.ts';
import { createAudioDecoder } from '../engines/audio/decoder.ts';
import type { AudioDecoder } from '../engines/ports/audio.ts';
import type { Transcribed, Transcriber } from '../engines/ports/transcriber.ts';
import { createTranscriber } from '../engines/speech/index.ts';
import { transcribeRecording } from '../features/transcribe/transcribe-recording.ts';
import { whenLoaded } from './clip.ts';
import { type CliContext, command } from './command.ts';
import { Failure, UsageError } from './errors.ts';
import { wholeNumber } from './input.ts';
import { progressBar } from './progress.ts';

/** The result, and the seconds it took. */
type Result = [transcribed: Transcribed, seconds: number];

const formats = {
  text: ([{ segments }]: Result) => toParagraphs(segments),
  srt: ([{ segments }, seconds]: Result) => toSrt(segments, seconds).trimEnd(),
  vtt: ([{ segments }, seconds]: Result) => toVtt(segments, seconds).trimEnd(),
  json: ([transcribed]: Result) => JSON.stringify(transcribed, null, 2),
};

interface Options {
  format: keyof typeof formats;
  language?: string;
  prompt?: string;
  speakers?: number;
}

/** Longer than the API allows: no other person waits for this machine. */
const limits = { maxSeconds: 12 * 3600, memoryCapBytes: 8_000_000_000, deadlineMs: 15 * 60_000 };

export function transcribeCommand(program: Command, context: CliContext): void {
  command(
    program,
    'transcribe',
    'transcribe recordings on this machine; nothing is stored',
    'transcribe meeting.m4a --format srt > meeting.srt',
  )
    .argument('<file...>', acceptedAudio)
    .addOption(new Option('--format <format>', 'what to print').choices(Object.keys(formats)).default('text'))
    .option('--language <code>', 'spoken language, like en or en-US')
    .option('--prompt <terms>', 'names and terms to expect, separated by commas')
    .option(
      '--speakers <number>',
      'how many people speak, if you know it',
      wholeNumber('--speakers', 1, maxSpeakers),
    )
    .action((files: string[], options: Options) => transcribeFiles(files, options, context));
}

async function transcribeFiles(
  files: readonly string[],
  options: Options,
  context: CliContext,
): Promise<void> {
  for (const file of files) await requireFile(file);
  const decoder = createAudioDecoder({ limits });
  const settings = context.config().engine;
  const transcriber = createTranscriber(settings);
  try {
    if (settings.engine === 'embedded') await whenLoaded(transcriber);
    for (const file of files) {
      if (files.length > 1) context.print(`# ${file}`);
      context.print(formats[options.format](await transcribeFile(file, options, { decoder, transcriber })));
    }
  } finally {
    await Promise.all([decoder.close(), transcriber.close()]);
  }
}

/** Checks all files before the first one is transcribed, which may take an hour. */
async function requireFile(file: string): Promise<void> {
  const found = await stat(file).catch(() => undefined);
  if (!found) throw new UsageError(`${file}: there is no such file.`);
  if (found.isDirectory()) throw new UsageError(`${file}: this is a folder; name the recordings in it.`);
}

/** Transcribes while it decodes, as the server does with recordings, so a long file takes no more memory. */
async function transcribeFile(
  path: string,
  { language, prompt, speakers }: Options,
  { decoder, transcriber }: { decoder: AudioDecoder; transcriber: Transcriber },
): Promise<Result> {
  const file = await openFile(path);
  const bar = progressBar();
  try {
    const { expectedMs, chunks, durationMs } = await decoder.stream(file);
    const recording = { durationMs: expectedMs ?? Number.POSITIVE_INFINITY, chunks };
    const onProgress = (done: number) => bar.show(done, path);
    const work = { recording, userId: 'cli', language, prompt, speakers, onProgress };
    return [await transcribeRecording(transcriber, work), durationMs() / 1000];
  } finally {
    bar.clear();
    await file.close();
  }
}

async function openFile(path: string) {
  const handle = await open(path);
  const found = await handle.stat();
  if (!found.isFile()) {
    // A pipe cannot be read from the middle.
    const bytes = await handle.readFile();
    return {
      size: bytes.length,
      read: async (start: number, end: number) => bytes.subarray(start, end),
      close: () => handle.close(),
    };
  }
  return {
    size: found.size,
    async read(start: number, end: number) {
      const { bytesRead, buffer } = await handle.read({ buffer: Buffer.alloc(end - start), position: start });
      if (bytesRead < end - start) throw new Failure(`${path} has become shorter while it was read.`);
      return buffer;
    },
    close: () => handle.close(),
  };
}
