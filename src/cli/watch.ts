import { createHash } from 'node:crypto';
import { openAsBlob } from 'node:fs';
import { basename, extname, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createSteno, StenoError, UnreachableError } from '@steno/sdk';
import { type Command, InvalidArgumentError } from 'commander';
import { maxRecordingNameLength } from '../domain/recording.ts';
import { type CliContext, printing } from './command.ts';
import { Failure } from './errors.ts';
import { type ServerOptions, serverOf, stopSignal } from './input.ts';
import { printable } from './output.ts';
import { type FoundFile, hashOf, openWatchedFolder } from './watch-folder.ts';

interface Options extends ServerOptions {
  json?: true;
  language?: string;
  noteFolder?: string;
  interval: number;
  once?: true;
}

/** Used-up minutes come back next month, and no answer says when. */
const mostWaitSeconds = 3_600;

export function watchCommand(program: Command, context: CliContext): void {
  printing(
    program,
    'watch',
    'send recordings that appear in a folder to a server, which makes a note of each',
    'watch ~/Recordings --key owk_live_…',
  )
    .argument('<folder>', 'the folder; its subfolders count too')
    .option('--url <url>', 'address of the server (default: the one on this machine)')
    .option('--key <key>', 'your personal key on it, with transcriptions:write (or set STENO_KEY)')
    .option('--language <code>', 'spoken language, like en or en-US')
    .option('--note-folder <id>', 'the folder on the server that the notes go to')
    .option(
      '--interval <seconds>',
      'how often to look; a file is sent when it has not changed since',
      secondsOf,
      5,
    )
    .option('--once', 'send what is there and end')
    .action((folder: string, options: Options) =>
      watch(resolve(folder), { ...options, ...serverOf(options, context) }, context.print),
    );
}

function secondsOf(text: string): number {
  const seconds = Number(text);
  if (!(seconds > 0 && seconds <= 86_400))
    throw new InvalidArgumentError('It must be a number of seconds above 0.');
  return seconds;
}

type Settings = Options & Required<ServerOptions>;

async function watch(folder: string, options: Settings, print: CliContext['print']): Promise<void> {
  const signal = stopSignal();
  const watched = await openWatchedFolder(folder, options.url);
  try {
    for (;;) {
      const { ready, waiting } = await watched.look();
      let waitSeconds = options.interval;
      for (const file of ready) waitSeconds = Math.max(waitSeconds, await take(file));
      if (options.once && waiting === 0) return;
      await sleep(waitSeconds * 1000, undefined, { signal });
    }
  } catch (cause) {
    if (!signal.aborted) throw cause;
  }

  /** Seconds to wait before the next scan, which finds a file again if it could not be sent. */
  async function take(file: FoundFile): Promise<number> {
    const sha256 = await hashOf(file.file);
    if (watched.isKnown(sha256)) {
      await watched.remember(file, { sha256, recording_id: null, error: null });
      return 0;
    }
    const sent = await send(file, sha256, options, signal);
    if (sent.outcome === 'later') {
      if (options.once) throw new Failure(sent.message);
      console.error(sent.message);
      return sent.waitSeconds;
    }
    const { recording_id, error } = sent;
    const shown = printable(file.path);
    await watched.remember(file, { sha256, recording_id, error });
    if (options.json) print(JSON.stringify({ file: file.path, recording_id, error }));
    else print(error === null ? `${shown}: recording ${recording_id}` : `${shown}: left out. ${error}`);
    return 0;
  }
}

type Sent =
  | { outcome: 'taken'; recording_id: string; error: null }
  | { outcome: 'refused'; recording_id: null; error: string }
  | { outcome: 'later'; message: string; waitSeconds: number };

/** The name of the file without its ending, as the server takes it. */
const nameOf = (path: string) =>
  [...printable(basename(path, extname(path)).toWellFormed())].slice(0, maxRecordingNameLength).join('');

async function send(file: FoundFile, sha256: string, options: Settings, signal: AbortSignal): Promise<Sent> {
  const { url, key, language, noteFolder } = options;
  const query = {
    name: nameOf(file.path),
    note: 'true' as const,
    ...(language === undefined ? {} : { language }),
    ...(noteFolder === undefined ? {} : { folder_id: noteFolder }),
  };
  // If the answer got lost, the server must not store the same file twice.
  const idempotencyKey = createHash('sha256')
    .update(`${sha256} ${new URLSearchParams(query)}`)
    .digest('hex');
  // The next scan is the next try.
  const steno = createSteno({ url, key, retries: 0 });
  try {
    const { data } = await steno.POST('/api/v1/recordings', {
      params: { query, header: { 'Idempotency-Key': idempotencyKey } },
      // Streamed from the disk.
      body: await openAsBlob(file.file),
      redirect: 'error',
      signal,
    });
    return { outcome: 'taken', recording_id: data.id, error: null };
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof UnreachableError)
      return {
        outcome: 'later',
        message: `${url} does not answer. ${printable(file.path)} is sent later.`,
        waitSeconds: 5,
      };
    if (!(error instanceof StenoError)) throw error;
    return afterRefusal(error, file, url);
  }
}

function afterRefusal(
  { status, code, message: said, retryAfter }: StenoError,
  file: FoundFile,
  url: string,
): Sent {
  const message = code === '' ? `${url} answered ${status}.` : said;
  if (status === 401 || status === 403) throw new Failure(`${url} refuses the key: ${message}`);
  // Not the file's fault, so it must not be remembered as refused.
  if (status === 400 && message.startsWith('folder_id'))
    throw new Failure(`${url} does not know the folder of --note-folder: ${message}`);
  if (status < 500 && status !== 429 && status !== 409)
    return { outcome: 'refused', recording_id: null, error: message };
  const waitSeconds = Math.min(retryAfter ?? (status === 429 ? mostWaitSeconds : 5), mostWaitSeconds);
  return { outcome: 'later', message: `${printable(file.path)} is sent later: ${message}`, waitSeconds };
}
