import type { Action, ActionChanges, LanguageJob, LanguageSettings, StoredAction } from '../domain/action.ts';
import type { AppError } from '../domain/errors.ts';
import type { TokenCount } from '../domain/language.ts';
import type { NoteChanges, NoteWithTranscript, StoredNote } from '../domain/note.ts';
import type { OwnerFilter } from '../domain/owner.ts';
import type { PageQuery } from '../domain/page.ts';
import type { PlanName } from '../domain/plans.ts';
import type { Task } from '../domain/prompt.ts';
import type { Period } from '../domain/usage.ts';
import type { Writing } from './note-store.ts';

export interface LanguageStore {
  /** What decides whether a person may use language models, with the tokens of the period. Undefined if there is nobody. */
  person(
    userId: string,
    period: Period,
  ): Promise<{ plan: PlanName; isBlocked: boolean; isAllowed: boolean; tokens: number } | undefined>;
  /** Adds the tokens of one request. */
  count(userId: string, tokens: TokenCount, now: string): Promise<void>;
  tokens(userId: string, period: Period): Promise<number>;
  settings(userId: string): Promise<LanguageSettings>;
  setSettings(userId: string, changes: Partial<LanguageSettings>): Promise<LanguageSettings>;
}

/** Who asks: a person, or with a workspace key the workspace, in the name of the person who made the key. */
export interface Asker {
  userId: string;
  workspaceId: string | null;
}

/**
 * Whose actions and jobs a call reaches: a workspace key those of its workspace, a person their own. Of those, only the jobs of
 * notes that the call may read: a job has their text.
 */
export interface LanguageReach extends Asker {
  notes: OwnerFilter;
}

/** Own actions, and those that a workspace shares. */
export interface ActionStore {
  /** The oldest first. */
  list(asker: Asker): Promise<StoredAction[]>;
  insert(action: StoredAction, max: number): Promise<'ok' | 'limit reached'>;
  /**
   * Those that the user made, unless they left the workspace that shares it; signed in, also those of workspaces that they
   * administer; with a workspace key, those of its workspace.
   */
  update(reach: LanguageReach, id: string, changes: ActionChanges, now: string): Promise<Action | undefined>;
  remove(reach: LanguageReach, id: string): Promise<boolean>;
}

export interface NewLanguageJob {
  id: string;
  reach: Asker;
  noteId: string;
  task: Task;
}

/** A job that this server works on. */
export interface ClaimedJob extends LanguageJob {
  plan: PlanName;
  task: Task;
  /** The title that nobody typed; only that one may be replaced by itself. */
  given_title: string | null;
  workspace_id: string | null;
  faults: number;
}

/**
 * The queue of texts to write: one of each user at a time; the user who has waited longest is next. As for recordings, a job
 * belongs to its server until it ends, that server gives it back or is gone, and no other server can write to it. The jobs of a
 * suspended account wait, because it may work again.
 */
export interface LanguageQueue {
  /** The same text that is in work already is not written twice: returns that job. */
  insert(job: NewLanguageJob, max: number, now: string): Promise<LanguageJob | 'limit reached'>;
  get(reach: LanguageReach, id: string): Promise<LanguageJob | undefined>;
  list(reach: LanguageReach, page: PageQuery & { noteId?: string | undefined }): Promise<LanguageJob[]>;
  /** False if there is no such job. One that is over stays as it is. */
  cancel(reach: LanguageReach, id: string, now: string): Promise<boolean>;
  giveBack(running: readonly string[], now: string): Promise<number>;
  claim(now: string, running: readonly string[]): Promise<ClaimedJob | undefined>;
  parts(id: string): Promise<{ asked_hash: string; text: string }[]>;
  /** False if the job is lost: cancelled, taken over by another server, or of an account that is suspended now. */
  keep(
    id: string,
    part: { position: number; asked_hash: string; text: string },
    progress: number,
    now: string,
  ): Promise<boolean>;
  /**
   * Ends the job and writes its text, both or neither. The result is made from the note as it is inside that write, so it goes
   * where the note is. False if the job is lost. Raises `not_found` for a note that is gone, or no longer within reach.
   */
  settle(
    job: ClaimedJob,
    result:
      | { changes(note: NoteWithTranscript): NoteChanges }
      | { newNote(from: NoteWithTranscript, ownerId: string): StoredNote },
    writing: Writing,
    now: string,
  ): Promise<boolean>;
  fail(id: string, error: Pick<AppError, 'code' | 'message'>, now: string): Promise<void>;
  /** Back into the queue, with what went wrong. */
  release(
    id: string,
    again: { notBefore: string; faults?: number; error?: Pick<AppError, 'code' | 'message'> },
    now: string,
  ): Promise<void>;
  inQueue(): Promise<Record<'queued' | 'writing', { count: number; since: string | null }>>;
  /** Jobs that ended before this time. */
  removeOlder(than: string): Promise<void>;
}
