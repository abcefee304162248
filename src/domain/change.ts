import { z } from 'zod';
import { fromBase64Json, toBase64Json } from '../lib/json.ts';
import { AppError } from './errors.ts';
import { id, timestamp } from './fields.ts';
import type { Scope } from './scopes.ts';

export const changeTypes = ['note', 'folder', 'tag', 'dictionary', 'snippet', 'transcription'] as const;
export type ChangeType = (typeof changeTypes)[number];

export const changeActions = ['created', 'updated', 'deleted'] as const;

/** Something was created, updated or deleted. The route of the resource says what it is now. */
export const change = z.object({
  type: z.enum(changeTypes),
  id,
  action: z.enum(changeActions).describe('A note that was restored from the trash counts as created.'),
  at: timestamp,
});
export type Change = z.infer<typeof change>;

/** A change as the stream of events tells it, with what is known of the note now. */
export const changeEvent = change.extend({
  space_id: id.nullable().describe('Null for what is your own.'),
  revision: z.int().nullable().describe('Of the note; null if it is gone, and for other types.'),
  session: z.string().nullable().describe('The session that wrote the text, if that was the last change.'),
  by: id.nullable().describe('Id of the user who wrote the text, if that was the last change.'),
});
export type ChangeEvent = z.infer<typeof changeEvent>;

/** A row of the log. Recordings and language jobs are in it for webhooks and for clients that ask for them, the audit log for webhooks alone. */
export type LoggedChange = Change | (Omit<Change, 'type' | 'action'> & JobStep);
type JobStep =
  | { type: 'recording'; action: 'queued' | 'transcribing' | 'done' | 'failed' }
  | { type: 'language_job'; action: 'done' | 'failed' }
  | { type: 'audit'; action: 'recorded' };
type LoggedType = LoggedChange['type'];
export const isOfResource = <Logged extends LoggedChange>(
  change: Logged,
): change is Exclude<Logged, JobStep> => changeTypes.some((type) => type === change.type);

/** A place in the order of all changes. On SQLite `tx` is always 0. */
export interface ChangePosition {
  readonly tx: number;
  readonly seq: number;
}

/** Any one of these scopes is enough to see changes of the type. */
export const scopesToSee: Record<LoggedType, readonly Scope[]> = {
  note: ['notes:read', 'workspace:notes:read'],
  folder: ['notes:read', 'workspace:folders:read'],
  tag: ['notes:read', 'workspace:folders:read'],
  dictionary: ['dictionary:read'],
  snippet: ['snippets:read'],
  transcription: ['transcriptions:read'],
  recording: ['transcriptions:read'],
  language_job: ['notes:read', 'workspace:notes:read'],
  // Admins and operators hear it, by a session.
  audit: [],
};

const cursorParts = z.tuple([z.literal('changes'), z.string(), z.int().min(0), z.int().min(0)]);

/** `timeline` names the history of this database. A restored backup begins a new one. */
export const encodeChangeCursor = (timeline: string, { tx, seq }: ChangePosition) =>
  toBase64Json(['changes', timeline, tx, seq]);

/** Raises `validation_error` for a cursor that is not ours or is of another timeline. */
export function decodeChangeCursor(timeline: string, cursor: string): ChangePosition {
  const parts = cursorParts.safeParse(fromBase64Json(cursor));
  if (!parts.success)
    throw new AppError('validation_error', 'since must be the next_cursor of an answer of this route.');
  const [, ofTimeline, tx, seq] = parts.data;
  if (ofTimeline !== timeline)
    throw new AppError(
      'validation_error',
      'since is from before this server was restored from a backup. List everything again, and start without since.',
    );
  return { tx, seq };
}

/** Whether one place comes before another. */
export const isBefore = (one: ChangePosition, other: ChangePosition) =>
  one.tx < other.tx || (one.tx === other.tx && one.seq < other.seq);

export const tooOld = (at: string) =>
  new AppError(
    'validation_error',
    `since is too old: changes before ${at} are no longer kept. List everything again, and start without since.`,
  );
