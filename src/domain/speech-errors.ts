import { acceptedAudio } from './audio.ts';
import { AppError } from './errors.ts';

/** The file has none of the formats that Steno reads. */
export class NotAudio extends AppError {
  constructor() {
    super('validation_error', `The file is not audio that this server can read. Send ${acceptedAudio}.`);
  }
}

/** The file looks like audio, but cannot be decoded or is larger than the limits once decoded. */
export class BadAudio extends AppError {
  constructor(message: string, cause?: unknown) {
    super('validation_error', message, { cause });
  }
}

export const damagedAudio = (cause?: unknown) =>
  new BadAudio('The recording is damaged and cannot be decoded. Save it again and send the new file.', cause);

export class UnsupportedLanguage extends AppError {
  constructor(language: string, known: readonly string[]) {
    const list = known.length > 12 ? `${known.slice(0, 12).join(', ')}, …` : known.join(', ');
    const hint = known.length > 0 ? `Use one of these: ${list}.` : 'Leave language out, or choose another.';
    super('validation_error', `The language "${language}" is not supported. ${hint}`);
  }
}

/** The engine is busy, is starting, or has just failed. The same request may succeed later. Nothing is charged. */
export class TranscriberUnavailable extends AppError {
  constructor(message: string, options: { retryAfterSeconds: number; cause?: unknown }) {
    super('service_unavailable', message, options);
  }
}

/** The files of a decoder are gone, as during an `npm ci` under a running server. No recording is to blame. */
export class DecoderUnavailable extends TranscriberUnavailable {
  constructor(cause: unknown) {
    super('This server cannot load its audio decoder. Try again in a minute.', {
      retryAfterSeconds: 30,
      cause,
    });
  }
}

/** The engine could not be loaded and is tried again every few seconds; mostly the operator must do something first. */
export class SpeechOutOfOrder extends TranscriberUnavailable {
  constructor(cause: string) {
    super('Speech recognition is out of order on this server. Its operator finds the reason in the log.', {
      retryAfterSeconds: 60,
      cause: new Error(cause),
    });
  }
}

export const tooManyRecordings = () =>
  new TranscriberUnavailable('Too many recordings are waiting. Try again soon.', { retryAfterSeconds: 15 });
