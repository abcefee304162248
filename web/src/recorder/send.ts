import { type AudioSource, UploadEndedError, type UploadOptions } from '@steno/sdk';
import { isNotFound, StenoError, UnreachableError } from '../api/errors.ts';
import type { Asked, Destination } from '../resources/asked.ts';
import { type KeptUpload, withoutEnding } from './item.ts';

export type Send = (
  audio: AudioSource,
  about: { name: string | undefined; asked: Asked; to: Destination | undefined },
  options: Omit<UploadOptions, 'about'>,
) => Promise<string>;

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
export async function send(
  given: KeptUpload,
  audio: AudioSource,
  uploadAudio: Send,
  watcher: Watcher,
): Promise<KeptUpload> {
  const { signal, onSent, onTaken, onChange } = watcher;
  let upload = given;
  let wasGone = false;
  const change = (changed: KeptUpload) => {
    upload = changed;
    onChange(upload);
  };

  /** Nothing can be added to an ended upload, so everything is sent again. */
  function beginAgain(): void {
    const { recordingId, replaces, ...rest } = upload;
    const replaced = replaces ?? recordingId;
    change({ ...rest, ...(replaced ? { replaces: replaced } : {}) });
  }

  for (;;)
    try {
      const { name, asked, to, kind, recordingId } = upload;
      const about = { name: kind === 'spoken' ? undefined : withoutEnding(name), asked, to };
      await uploadAudio(audio, about, {
        id: recordingId,
        signal,
        onBegin: (id) => change({ ...upload, recordingId: id }),
        onProgress: onSent,
        onTrouble: (error) => onTaken(error === undefined),
        mayRetry: mayPass,
      });
      return upload;
    } catch (error) {
      signal.throwIfAborted();
      const isGone = isNotFound(error);
      // The folder or space is gone, but the recording must not be lost with it.
      if (upload.to && !upload.recordingId && isWrongPlace(error)) upload = { ...upload, to: undefined };
      // It was deleted, or abandoned for a week.
      else if (error instanceof UploadEndedError || (isGone && !wasGone)) beginAgain();
      else throw error;
      wasGone ||= isGone;
    }
}

const isWrongPlace = (error: unknown) => error instanceof StenoError && [400, 404].includes(error.status);

const passing = [401, 409, 429, 500, 502, 503, 504];

/** Whether a retry may succeed. */
export function mayPass(error: unknown): boolean {
  if (!(error instanceof StenoError)) return error instanceof UnreachableError;
  return passing.includes(error.status) && error.code !== 'quota_exceeded';
}
