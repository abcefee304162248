import { ApiError, type Explanation, explain } from '../../api/errors.ts';
import { formatBytes } from '../../lib/format.ts';
import { strings } from '../../strings.ts';

const words = strings.transcribe.problems;

/** What the server takes: 4 MiB. */
export const maxBytes = 4 * 1024 * 1024;

/** Seen here, before anything is sent. */
export class Unsendable extends Error {
  readonly explanation: Explanation;

  constructor(explanation: Explanation) {
    super(explanation.title);
    this.name = 'Unsendable';
    this.explanation = explanation;
  }
}

export function checkSize(file: Blob): Unsendable | undefined {
  if (file.size === 0) return new Unsendable(words.empty);
  if (file.size <= maxBytes) return undefined;
  const { title, detail } = words.tooLarge;
  return new Unsendable({ title, detail: detail(formatBytes(file.size)) });
}

const forGood = ['payload_too_large', 'validation_error', 'plan_required', 'forbidden'];

/** True when the same recording may succeed later. */
export const mayTryAgain = (error: unknown) =>
  !(error instanceof Unsendable) && !(error instanceof ApiError && forGood.includes(error.code));

/** Why there is no transcript, and what to do about it. */
export function explainProblem(error: unknown): Explanation {
  if (error instanceof Unsendable) return error.explanation;
  const usual = explain(error);
  if (!(error instanceof ApiError)) return usual;
  const told = error.message || usual.detail;
  switch (error.code) {
    case 'payload_too_large':
      return { title: words.tooLarge.title, detail: words.tooLargeUnsized };
    case 'validation_error':
      return { title: words.notAudio.title, detail: told };
    case 'quota_exceeded':
      return { title: words.quota.title, detail: told };
    case 'concurrency_limit':
      return words.busy;
    case 'plan_required':
      return { title: words.plan.title, detail: told };
    case 'forbidden':
      return { title: words.forbidden.title, detail: told };
    case 'service_unavailable':
      return { title: isPaused(error) ? words.paused.title : usual.title, detail: waitFor(error) ?? told };
    default:
      return usual;
  }
}

/** The same code says that an operator has paused it and that the engine has just failed. */
const isPaused = ({ message }: ApiError) => /paused/i.test(message);

const waitFor = ({ retryAfterSeconds, message }: ApiError) =>
  retryAfterSeconds === undefined ? undefined : `${message} ${words.paused.wait(retryAfterSeconds)}`.trim();
