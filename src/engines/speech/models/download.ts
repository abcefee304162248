import { createWriteStream, readFileSync, rmSync, statfsSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { AppError, conflict, serviceUnavailable } from '../../../domain/errors.ts';

export interface DownloadOptions {
  url: string;
  /** Where the bytes go. What an earlier try left there is kept, if it is of the same file. */
  part: string;
  onProgress?(doneBytes: number, totalBytes: number | null): void;
  signal?: AbortSignal | undefined;
  /** Before the second try; each further pause is twice as long. */
  pauseMs?: number;
  /** Without a byte for so long, the connection counts as broken. */
  stallMs?: number;
}

/** Of which file the part is. Without a version it is unknown whether the rest still fits. */
interface PartNote {
  url: string;
  version: string | null;
  totalBytes: number | null;
}

/** In a row, without a new byte. */
const mostFailures = 5;
const mostRedirects = 5;
const spareBytes = 100_000_000;

/**
 * Downloads to `part`, goes on where an earlier try stopped, and tries again when the connection breaks. Answers with the
 * SHA-256 that the hub publishes for the file, if it does. Raises not_found, conflict (no room) or service_unavailable.
 */
export async function download(options: DownloadOptions): Promise<{ publishedSha256: string | null }> {
  const { part, signal, pauseMs = 1_000 } = options;
  for (let failures = 0; ; ) {
    const before = sizeOf(part);
    try {
      const published = await attempt(options);
      rmSync(noteOf(part), { force: true });
      return { publishedSha256: published };
    } catch (cause) {
      signal?.throwIfAborted();
      if (cause instanceof AppError) throw cause;
      failures = sizeOf(part) > before ? 1 : failures + 1;
      if (failures >= mostFailures || (failures === 1 && before === 0 && isUnreachable(cause)))
        throw interrupted(options, cause);
      await wait(pauseMs * 2 ** (failures - 1), undefined, { signal });
    }
  }
}

async function attempt(options: DownloadOptions): Promise<string | null> {
  const { url, part, onProgress, signal, stallMs = 60_000 } = options;
  const note = readNote(part);
  const start = note?.url === url && note.version !== null ? sizeOf(part) : 0;
  const stalled = new AbortController();
  const timer = setTimeout(() => stalled.abort(new Error(`no data for ${stallMs / 1000} s`)), stallMs);
  try {
    const either = signal ? AbortSignal.any([signal, stalled.signal]) : stalled.signal;
    const { response, linked } = await follow(url, start, either);
    const version = linked.version ?? response.headers.get('etag') ?? response.headers.get('last-modified');
    const isRest = response.status === 206 && version === note?.version && rangeStart(response) === start;
    if (response.status === 416 || (response.status === 206 && start > 0 && !isRest)) {
      await response.body?.cancel();
      if (response.status === 416 && start > 0 && start === note?.totalBytes) return linked.sha256;
      rmSync(noteOf(part), { force: true });
      throw new Error('the file has changed; starting again');
    }
    if (!response.ok || !response.body) throw refusal(response, url);
    const from = isRest ? start : 0;
    const totalBytes = linked.bytes ?? totalOf(response, from);
    requireRoom(part, totalBytes === null ? 0 : totalBytes - from);
    writeFileSync(noteOf(part), JSON.stringify({ url, version, totalBytes } satisfies PartNote));
    let done = from;
    onProgress?.(done, totalBytes);
    // The types of the web stream in lib.dom and in Node differ by name only.
    const body = Readable.fromWeb(response.body as Parameters<typeof Readable.fromWeb>[0]);
    body.on('data', (bytes: Buffer) => {
      timer.refresh();
      done += bytes.length;
      onProgress?.(done, totalBytes);
    });
    await pipeline(body, createWriteStream(part, { flags: from > 0 ? 'a' : 'w', flush: true }), {
      signal: either,
    });
    if (totalBytes !== null && done !== totalBytes) throw new Error(`${done} of ${totalBytes} bytes came`);
    return linked.sha256;
  } finally {
    clearTimeout(timer);
  }
}

/** What the hub says of a large file when it sends on to the server that has it. The version is its SHA-256 there. */
interface Linked {
  version: string | null;
  sha256: string | null;
  bytes: number | null;
}

/** By hand, because the checksum is in the headers of the redirect. */
async function follow(url: string, start: number, signal: AbortSignal) {
  let linked: Linked = { version: null, sha256: null, bytes: null };
  let at = new URL(url);
  for (let redirects = 0; ; redirects++) {
    const response = await fetch(at, {
      redirect: 'manual',
      signal,
      headers: { 'accept-encoding': 'identity', ...(start > 0 && { range: `bytes=${start}-` }) },
    });
    const version = response.headers.get('x-linked-etag');
    if (version !== null) {
      const sha256 = /^(?:W\/)?"?([0-9a-f]{64})"?$/.exec(version)?.[1] ?? null;
      linked = { version, sha256, bytes: toCount(response.headers.get('x-linked-size')) };
    }
    const next = response.headers.get('location');
    if (response.status < 300 || response.status >= 400 || next === null) return { response, linked };
    await response.body?.cancel();
    const target = new URL(next, at);
    if (redirects >= mostRedirects || (at.protocol === 'https:' && target.protocol !== 'https:'))
      throw serviceUnavailable(`${at.origin} sends on to ${target.origin}, which is refused.`);
    at = target;
  }
}

const toCount = (text: string | null) => (text !== null && /^\d+$/.test(text) ? Number(text) : null);

const rangeStart = (response: Response) =>
  Number(/^bytes (\d+)-/.exec(response.headers.get('content-range') ?? '')?.[1] ?? Number.NaN);

function totalOf(response: Response, from: number): number | null {
  const length = toCount(response.headers.get('content-length'));
  return length === null ? null : from + length;
}

/** Trying again helps only where the server has a fault or is busy. */
function refusal({ status }: Response, url: string): Error {
  if (status >= 500 || status === 429 || status === 408) return new Error(`${url} answers ${status}`);
  return new AppError('not_found', `There is no model at ${url}: the server answers ${status}.`);
}

/** Raises a conflict. */
export function requireRoom(part: string, bytes: number): void {
  const { bavail, bsize } = statfsSync(dirname(part));
  if (bavail * bsize >= bytes + spareBytes) return;
  const [needed, free] = [bytes + spareBytes, bavail * bsize].map((size) => `${(size / 1e9).toFixed(1)} GB`);
  throw conflict(`There is too little room in ${dirname(part)}: ${free} of ${needed}.`);
}

const isUnreachable = (cause: unknown) =>
  cause instanceof Error &&
  cause.cause instanceof Error &&
  'code' in cause.cause &&
  ['ENOTFOUND', 'ECONNREFUSED', 'EAI_AGAIN', 'ENETUNREACH', 'EHOSTUNREACH'].includes(
    String(cause.cause.code),
  );

function interrupted({ url, part }: DownloadOptions, cause: unknown): AppError {
  const { host } = new URL(url);
  const why =
    cause instanceof Error ? `${cause.cause instanceof Error ? cause.cause.message : cause.message}` : '';
  const advice =
    sizeOf(part) > 0
      ? 'Run the command again: it goes on where it stopped.'
      : 'Check the connection, set STENO_MODELS_URL to a mirror, or add the model from a file.';
  return serviceUnavailable(`${host} does not deliver the file (${why}). ${advice}`, { cause });
}

const noteOf = (part: string) => `${part}.json`;

function readNote(part: string): PartNote | null {
  try {
    return JSON.parse(readFileSync(noteOf(part), 'utf8'));
  } catch {
    return null;
  }
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
