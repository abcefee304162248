import type { components } from '@steno/sdk';
import { type Explanation, explain, isForGood, StenoError } from '../api/errors.ts';
import { formatBytes, formatComingDay } from '../lib/format.ts';
import { recorderStrings } from '../strings/recorder.ts';
import type { Refused } from './item.ts';

const texts = recorderStrings.problems;

type Speech = components['schemas']['Me']['speech'];
type Usage = components['schemas']['Usage'];

/** Why something cannot be recorded or sent, checked in advance. */
export class Refusal extends Error {
  readonly explanation: Explanation;

  constructor(explanation: Explanation) {
    super(explanation.title);
    this.name = 'Refusal';
    this.explanation = explanation;
  }
}

/** Why the server would refuse any recording, checked before anyone speaks. */
export function refusalOf({ refused }: Speech, usage: Usage | undefined): Explanation | undefined {
  if (refused === 'plan_required') return texts.plan;
  if (refused !== null) return texts.forbidden;
  if (!usage || usage.recording_ms_limit < 0 || usage.recording_ms_used < usage.recording_ms_limit)
    return undefined;
  return { title: texts.quota.title, detail: texts.quota.resets(formatComingDay(usage.audio_resets_at)) };
}

/** Other types that browsers call audio or video are tried: the server looks at the content. */
const maybeSound = /^(audio|video)\/|^application\/(ogg|octet-stream)$|^$/;

/** Why the server would refuse this file, checked before it is sent. */
export function refusalOfFile(file: File, { formats, recording_max_bytes: max }: Speech) {
  if (file.size === 0) return texts.empty;
  if (file.size > max) {
    const { title, detail } = texts.tooLarge;
    return { title, detail: detail(formatBytes(file.size), formatBytes(max)) };
  }
  const ending = file.name.split('.').at(-1)?.toLowerCase() ?? '';
  if (maybeSound.test(file.type) || formats.includes(ending)) return undefined;
  return { title: texts.notSound.title, detail: texts.notSound.detail(formats.map(formatName)) };
}

export const formatName = (format: string) => (format === 'webm' ? 'WebM' : format.toUpperCase());

/** After a refusal: what to say, and whether to offer another try. */
export const refusedBy = (error: unknown): Refused => ({
  problem: explainProblem(error),
  mayRetry: error instanceof StenoError && !isForGood(error.code),
});

/** Why it did not become a note, and what to do about it. */
export function explainProblem(error: unknown): Explanation {
  if (error instanceof Refusal) return error.explanation;
  const usual = explain(error);
  if (!(error instanceof StenoError)) return usual;
  switch (error.code) {
    case 'payload_too_large':
      return { title: texts.tooLarge.title, detail: usual.detail };
    case 'validation_error':
      return { title: texts.notSound.title, detail: usual.detail };
    case 'quota_exceeded':
      return { title: texts.quota.title, detail: usual.detail };
    case 'plan_required':
      return texts.plan;
    case 'forbidden':
      return texts.forbidden;
    default:
      return usual;
  }
}
