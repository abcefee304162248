import { ApiError, type Explanation, explain } from '../../api/errors.ts';
import { formatBytes, formatDay } from '../../lib/format.ts';
import type { Speech } from '../../resources/session.ts';
import type { Usage } from '../../resources/usage.ts';
import { strings } from '../../strings.ts';

const texts = strings.transcribe.problems;

/** A problem found before anything is sent. */
export class Unsendable extends Error {
  readonly explanation: Explanation;

  constructor(explanation: Explanation) {
    super(explanation.title);
    this.name = 'Unsendable';
    this.explanation = explanation;
  }
}

export function checkSize({ size }: Blob, maxBytes: number): Unsendable | undefined {
  if (size === 0) return new Unsendable(texts.empty);
  if (size <= maxBytes) return undefined;
  const { title, detail } = texts.tooLarge;
  return new Unsendable({ title, detail: detail(formatBytes(size), formatBytes(maxBytes)) });
}

/** Why a recording would be refused, said before anyone speaks. */
export function refusalOf({ refused }: Speech, usage: Usage | undefined): Unsendable | undefined {
  if (refused === 'plan_required') return new Unsendable(texts.plan);
  if (refused === 'forbidden') return new Unsendable(texts.forbidden);
  if (!usage || usage.audio_ms_used < usage.audio_ms_limit) return undefined;
  const { title, resets } = texts.quota;
  return new Unsendable({ title, detail: resets(formatDay(usage.audio_resets_at)) });
}

const forGood = ['payload_too_large', 'validation_error', 'plan_required', 'forbidden'];

/** True when the same recording may succeed later. */
export const mayTryAgain = (error: unknown) =>
  !(error instanceof Unsendable) && !(error instanceof ApiError && forGood.includes(error.code));

/** Why there is no transcript, and what to do about it. */
export function explainProblem(error: unknown): Explanation {
  if (error instanceof Unsendable) return error.explanation;
  const usual = explain(error);
  const { detail } = usual;
  if (!(error instanceof ApiError)) return usual;
  switch (error.code) {
    case 'payload_too_large':
      return { title: texts.tooLarge.title, detail };
    case 'validation_error':
      return { title: texts.refused.title, detail };
    case 'quota_exceeded':
      return { title: texts.quota.title, detail: texts.quota.detail };
    case 'concurrency_limit':
      return texts.busy;
    case 'plan_required':
      return { title: texts.plan.title, detail };
    case 'forbidden':
      return { title: texts.forbidden.title, detail };
    case 'service_unavailable':
      return { title: usual.title, detail: `${detail} ${waitFor(error)}`.trim() };
    default:
      return usual;
  }
}

const waitFor = ({ retryAfterSeconds }: ApiError) =>
  retryAfterSeconds === undefined ? '' : texts.wait(retryAfterSeconds);
