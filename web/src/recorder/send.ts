import { ApiError, UnreachableError } from '../api/errors.ts';
import { onReachable } from '../lib/connection.ts';
import { appendToUpload, createUpload, fetchUpload } from '../resources/uploads.ts';
import type { AudioSource } from './growing-audio.ts';
import type { KeptUpload } from './kept-uploads.ts';

/** A request every second would use half of the requests that a plan allows. */
const pauseMs = 2_000;
/** The server ends a live upload that sends nothing for five minutes. */
const aliveMs = 120_000;
const pieceBytes = 8 * 1024 * 1024;
const longestWaitMs = 15_000;

interface Watcher {
  signal: AbortSignal;
  /** Bytes that the server has, or that are being sent. */
  onSent(bytes: number): void;
  /** Whether the server accepts it: it may be away, or refuse for a while. */
  onTaken(isTaken: boolean): void;
  /** What to keep of it has changed. */
  onChange(upload: KeptUpload): void;
}

/**
 * Uploads the audio to its end, however often the connection breaks or the server restarts. Resolves with the upload when the
 * server has every byte. Raises errors that a retry cannot fix.
 */
export async function send(given: KeptUpload, audio: AudioSource, watcher: Watcher): Promise<KeptUpload> {
  const { signal, onSent, onTaken, onChange } = watcher;
  const isGrowing = given.kind === 'spoken';
  let upload = given;
  /** Unknown after an error: the request may have arrived. */
  let offset: number | undefined;
  let failures = 0;
  let begunAgain = false;
  const change = (changes: Partial<KeptUpload>) => {
    upload = { ...upload, ...changes };
    onChange(upload);
  };

  async function begin(): Promise<string> {
    const length = isGrowing ? null : audio.size;
    const { name, asked, to } = upload;
    const about = { name: isGrowing ? undefined : withoutEnding(name), asked, length };
    const recordingId = await createUpload({ ...about, to }).catch((error: unknown) => {
      if (!to || !isWrongPlace(error)) throw error;
      // The folder or space is gone, but the recording must not be lost with it.
      upload = { ...upload, to: undefined };
      return createUpload({ ...about, to: undefined });
    });
    change({ recordingId });
    offset = 0;
    return recordingId;
  }

  /** Nothing can be added to an ended upload, so everything is sent again. */
  function beginAgain(): void {
    const { recordingId, replaces, ...rest } = upload;
    const replaced = replaces ?? recordingId;
    upload = { ...rest, ...(replaced ? { replaces: replaced } : {}) };
    onChange(upload);
  }

  /** True when it was the last piece. */
  async function sendPiece(): Promise<boolean> {
    const recordingId = upload.recordingId ?? (await begin());
    if (offset === undefined) {
      const found = await fetchUpload(recordingId);
      offset = found.bytes;
      if (found.state !== 'uploading') {
        if (audio.isEnded && found.bytes === audio.size) return true;
        beginAgain();
        return false;
      }
    }
    const start = offset;
    await audio.moreThan(start, aliveMs);
    signal.throwIfAborted();
    const end = Math.min(audio.size, start + pieceBytes);
    const isLast = audio.isEnded && end === audio.size;
    const length = isLast && isGrowing ? end : undefined;
    offset = undefined;
    offset = await appendToUpload(recordingId, {
      offset: start,
      audio: audio.slice(start, end),
      length,
      signal,
      onSent: (bytes) => onSent(start + bytes),
    });
    onSent(offset);
    return isLast && offset === end;
  }

  for (;;) {
    signal.throwIfAborted();
    const begunAt = performance.now();
    try {
      const isOver = await sendPiece();
      failures = 0;
      onTaken(true);
      if (isOver) return upload;
      const rest = pauseMs - (performance.now() - begunAt);
      if (isGrowing && rest > 0) await audio.moreThan(Number.POSITIVE_INFINITY, rest);
    } catch (error) {
      signal.throwIfAborted();
      offset = undefined;
      if (isGone(error) && !begunAgain) {
        begunAgain = true;
        beginAgain();
      } else if (!mayPass(error)) throw error;
      else {
        onTaken(false);
        await waitFor(error, failures++, signal);
      }
    }
  }
}

/** The name of the file becomes the title of the note. */
const withoutEnding = (name: string) => name.replace(/(?<=.)\.[a-z0-9]{2,4}$/i, '');

const isWrongPlace = (error: unknown) => error instanceof ApiError && [400, 404].includes(error.status);

/** It was deleted, or abandoned for a week. */
const isGone = (error: unknown) => error instanceof ApiError && error.status === 404;

const passing = [401, 409, 429, 500, 502, 503, 504];

/** Whether a retry may succeed. */
export function mayPass(error: unknown): boolean {
  if (!(error instanceof ApiError)) return error instanceof UnreachableError;
  return passing.includes(error.status) && error.code !== 'quota_exceeded';
}

/** Waits longer after each failure; a restored connection ends the wait. */
export async function waitFor(error: unknown, failures: number, signal: AbortSignal): Promise<void> {
  const asked = error instanceof ApiError ? (error.retryAfterSeconds ?? 0) * 1000 : 0;
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, Math.max(asked, Math.min(longestWaitMs, 500 * 2 ** failures)));
  const forget = onReachable(resolve);
  const aborted = () => resolve();
  signal.addEventListener('abort', aborted);
  await promise;
  clearTimeout(timer);
  forget();
  signal.removeEventListener('abort', aborted);
}
