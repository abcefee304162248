import type { Steno } from './client.ts';
import { StenoError } from './errors.ts';
import type { AudioSource } from './growing-audio.ts';
import type { components } from './schema.d.ts';
import { mayPass, waitMsAfter } from './send.ts';
import { sendWithProgress } from './send-with-progress.ts';

type UploadState = components['schemas']['Upload'];

/** What the recording is called, how it is transcribed, and where its note goes. */
export interface AboutRecording {
  name?: string;
  language?: string;
  prompt?: string;
  speakers?: number | string;
  /** Makes a note of it. */
  note?: boolean;
  note_id?: string;
  space_id?: string;
  folder_id?: string;
  keep_audio?: boolean;
}

export interface UploadOptions {
  about?: AboutRecording;
  /** Goes on with this upload instead of beginning one. */
  id?: string | undefined;
  signal?: AbortSignal | undefined;
  /** The upload has begun. Who keeps the id can go on after a crash. */
  onBegin?(id: string): void;
  /** How many bytes the server has, or are on their way to it. */
  onProgress?(bytes: number): void;
  /** Sending failed, and is tried again; undefined once it succeeds. */
  onTrouble?(error: unknown): void;
  /** Whether to try again after the n-th failure in a row. */
  mayRetry?(error: unknown, failures: number): boolean;
  pieceBytes?: number;
}

/** The server ended the upload before it had everything. Send all of it again, without the id. */
export class UploadEndedError extends Error {
  override readonly name = 'UploadEndedError';
}

const address = '/api/v1/recordings/uploads';
const mostRetries = 8;
/** For audio that grows: a request every second would use half of the requests that a plan allows. */
const pauseMs = 2_000;
/** The server ends a live upload that sends nothing for five minutes. */
const aliveMs = 120_000;
/** A line that is slower counts as gone. */
const slowestBytesPerSecond = 16_000;

/**
 * Uploads audio in pieces, by tus 1.0, however often the connection breaks or the server restarts. Audio that still grows is
 * transcribed meanwhile. Resolves with the id of the recording when the server has every byte.
 */
export async function upload(
  steno: Steno,
  audio: Blob | AudioSource,
  options: UploadOptions = {},
): Promise<string> {
  const { signal, onBegin, onProgress, onTrouble, pieceBytes = 8 * 1024 * 1024 } = options;
  const mayRetry =
    options.mayRetry ??
    ((error, failures) => failures <= mostRetries && (mayPass(error) || isAtAnotherPlace(error)));
  const source: AudioSource =
    'moreThan' in audio
      ? audio
      : {
          size: audio.size,
          isEnded: true,
          slice: (start, end) => audio.slice(start, end),
          moreThan: async () => {},
        };
  let { id } = options;
  /** Unknown after an error: the request may have arrived. */
  let offset: number | undefined;
  /** Whether the server knows how long the whole is. */
  let isLengthKnown = false;

  async function begin(): Promise<string> {
    isLengthKnown = source.isEnded;
    const answer = await call('POST', address, {
      'upload-metadata': metadata(options.about),
      ...(isLengthKnown ? { 'upload-length': String(source.size) } : { 'upload-defer-length': '1' }),
    });
    // The schema of the server says what the answer holds.
    const { data } = (await answer.json()) as { data: { id: string } };
    onBegin?.(data.id);
    offset = 0;
    return data.id;
  }

  /** True when it was the last piece. */
  async function sendPiece(): Promise<boolean> {
    id ??= await begin();
    if (offset === undefined) {
      const { bytes, length, state } = await uploadState(steno, id);
      offset = bytes;
      isLengthKnown = length !== null;
      if (state !== 'uploading') {
        if (source.isEnded && bytes === source.size) return true;
        throw new UploadEndedError('The server ended this upload early. Begin it again.');
      }
    }
    const start = offset;
    await source.moreThan(start, aliveMs);
    signal?.throwIfAborted();
    const end = Math.min(source.size, start + pieceBytes);
    const isLast = source.isEnded && end === source.size;
    offset = undefined;
    const answer = await call(
      'PATCH',
      `${address}/${id}`,
      {
        'content-type': 'application/offset+octet-stream',
        'upload-offset': String(start),
        ...(isLast && !isLengthKnown ? { 'upload-length': String(end) } : {}),
      },
      source.slice(start, end),
      onProgress && ((sent) => onProgress(start + sent)),
    );
    offset = Number(answer.headers.get('upload-offset'));
    onProgress?.(offset);
    return isLast && offset === end;
  }

  function call(
    method: string,
    path: string,
    headers: Record<string, string>,
    body?: Blob,
    onSent?: (bytes: number) => void,
  ): Promise<Response> {
    const init = {
      method,
      headers: { ...headers, 'tus-resumable': '1.0.0' },
      // What failed must be looked at before it is sent again.
      retries: 0,
      ...(body ? { body } : {}),
      ...(signal ? { signal } : {}),
    };
    if (!body) return steno.send(path, init);
    const { timeoutSeconds } = steno.patience;
    const watched = sendWithProgress(body, timeoutSeconds * 1000, onSent);
    if (watched) return steno.send(path, { ...init, timeoutSeconds: Number.POSITIVE_INFINITY }, watched);
    // `fetch` does not tell whether bytes still go out.
    return steno.send(path, { ...init, timeoutSeconds: timeoutSeconds + body.size / slowestBytesPerSecond });
  }

  for (let failures = 0; ; ) {
    signal?.throwIfAborted();
    const begunAt = performance.now();
    try {
      const isOver = await sendPiece();
      if (failures > 0) onTrouble?.(undefined);
      failures = 0;
      if (isOver && id !== undefined) return id;
      const restMs = pauseMs - (performance.now() - begunAt);
      if (restMs > 0) await source.moreThan(Number.POSITIVE_INFINITY, restMs);
    } catch (error) {
      signal?.throwIfAborted();
      offset = undefined;
      failures += 1;
      if (!mayRetry(error, failures)) throw error;
      onTrouble?.(error);
      await steno.patience.wait(waitMsAfter(error, failures - 1), signal);
    }
  }
}

/** Another sender was there, or an answer was lost: the server says where to go on. */
const isAtAnotherPlace = (error: unknown) => error instanceof StenoError && error.status === 409;

/** How much of an upload the server has. */
export const uploadState = async (steno: Steno, id: string): Promise<UploadState> =>
  (await steno.GET('/api/v1/recordings/uploads/{id}', tus(id))).data;

/** Gives an upload up. */
export const deleteUpload = (steno: Steno, id: string) =>
  steno.DELETE('/api/v1/recordings/uploads/{id}', tus(id));

const tus = (id: string) => ({ params: { path: { id }, header: { 'tus-resumable': '1.0.0' as const } } });

const metadata = (about: AboutRecording = {}) =>
  Object.entries(about)
    .filter(([, value]) => value !== undefined && value !== '')
    .map(([name, value]) => `${name} ${base64(String(value))}`)
    .join();

const base64 = (text: string) => btoa(String.fromCharCode(...new TextEncoder().encode(text)));
