import { acceptedAudio } from './audio.ts';
import { AppError } from './errors.ts';

/** The bytes are none of the formats we read. */
export class NotAudio extends AppError {
  constructor(options: { cause?: unknown } = {}) {
    super('validation_error', `The file is not audio we can read. Send ${acceptedAudio}.`, options);
    this.name = 'NotAudio';
  }
}

/** The bytes look like audio and cannot be decoded, or are larger inside than the limits allow. */
export class BadAudio extends AppError {
  constructor(reason: string, options: { cause?: unknown } = {}) {
    super('validation_error', `The audio cannot be decoded: ${reason}.`, options);
    this.name = 'BadAudio';
  }
}

/** The engine in use does not know the language asked for. */
export class UnsupportedLanguage extends AppError {
  constructor(language: string, known: readonly string[]) {
    const list = known.length > 12 ? `${known.slice(0, 12).join(', ')}, …` : known.join(', ');
    const hint = known.length > 0 ? ` This server knows: ${list}.` : '';
    super('validation_error', `The language "${language}" is not supported.${hint}`);
    this.name = 'UnsupportedLanguage';
  }
}

/** The engine is full, starting, or has just failed: the same request may succeed later. Nothing is charged. */
export class TranscriberUnavailable extends AppError {
  constructor(message: string, options: { retryAfterSeconds: number; cause?: unknown }) {
    super('service_unavailable', message, options);
    this.name = 'TranscriberUnavailable';
  }
}
