import {
  type Action,
  type ActionChanges,
  type ActionDraft,
  builtInActions,
  type LanguageJob,
  type LanguageSettings,
  maxActionsPerUser,
} from '../domain/action.ts';
import { AppError, notFound } from '../domain/errors.ts';
import { WriterFailed } from '../domain/language.ts';
import { reachOf } from '../domain/owner.ts';
import { type Page, type PageOptions, pageQuery, toPage } from '../domain/page.ts';
import type { Principal } from '../domain/principal.ts';
import type { Signals } from '../lib/signals.ts';
import type { NewId } from '../lib/uuid.ts';
import type { Clock } from '../ports/clock.ts';
import type { LanguageReach } from '../ports/language-store.ts';
import type { Store } from '../ports/store.ts';
import type { LanguageWriter, WriterStatus } from '../ports/writer.ts';
import type { LanguageWorker } from './worker.ts';

/** Texts that wait for one person. */
const mostWaiting = 100;
/** How often to look for changes by other servers. Those of this one come at once. */
const lookEveryMs = 1_000;
const keptDays = 30;
const dayMs = 86_400_000;

export type LanguageEvent =
  | { kind: 'state'; job: LanguageJob; isLast: boolean }
  /** More of the text. `offset` 0 begins it, or begins it anew after a fault. */
  | { kind: 'text'; offset: number; text: string };

export interface EnhanceWish {
  action: string;
  language?: string | undefined;
  output?: ActionDraft['output'] | undefined;
}

export type Language = ReturnType<typeof createLanguage>;

interface Dependencies {
  store: Pick<Store, 'language' | 'actions' | 'languageQueue' | 'notes' | 'members'>;
  writer: LanguageWriter;
  worker: Pick<LanguageWorker, 'wake' | 'cancel'>;
  signals: Signals<string>;
  clock: Clock;
  newId: NewId;
}

/** Actions on notes, and the jobs that carry them out. */
export function createLanguage({ store, writer, worker, signals, clock, newId }: Dependencies) {
  const now = () => new Date(clock()).toISOString();

  async function actions(principal: Principal): Promise<Action[]> {
    return [...builtInActions, ...(await store.actions.list(languageReach(principal)))];
  }

  async function job(principal: Principal, id: string): Promise<LanguageJob> {
    const found = await store.languageQueue.get(languageReach(principal), id);
    if (!found) throw notFound('Job');
    return found;
  }

  async function* follow(
    reach: LanguageReach,
    first: LanguageJob,
    signal: AbortSignal,
  ): AsyncGenerator<LanguageEvent> {
    const { id } = first;
    let current: LanguageJob | undefined = first;
    let [told, toldText] = ['', ''];
    while (current && !signal.aborted) {
      const change = signals.wait(id, lookEveryMs, signal);
      const state = JSON.stringify(current);
      if (state !== told) yield { kind: 'state', job: current, isLast: isOver(current) };
      told = state;
      if (isOver(current)) return;
      const text = signals.partialOf(id) ?? '';
      if (text !== toldText && text !== '') {
        const offset = text.startsWith(toldText) ? toldText.length : 0;
        yield { kind: 'text', offset, text: text.slice(offset) };
        toldText = text;
      }
      await change;
      // Also for more text: who follows may have left the workspace of the note.
      current = await store.languageQueue.get(reach, id);
    }
  }

  return {
    actions,
    job,

    async action(principal: Principal, id: string): Promise<Action | undefined> {
      return (await actions(principal)).find((action) => action.id === id);
    },

    /** Raises `validation_error` for a workspace of others, and `limit_reached`. */
    async createAction(principal: Principal, draft: ActionDraft): Promise<Action> {
      const { userId } = principal;
      const ownWorkspace = principal.kind === 'workspace' ? principal.workspaceId : null;
      const workspace_id = draft.workspace_id ?? ownWorkspace;
      const isMember =
        workspace_id === null ||
        workspace_id === ownWorkspace ||
        (ownWorkspace === null && (await store.members.roleOf(workspace_id, userId)) !== undefined);
      if (!isMember)
        throw new AppError('validation_error', 'workspace_id must be the id of one of your workspaces.');
      const at = now();
      const action = { ...draft, id: newId(), user_id: userId, workspace_id, created_at: at, updated_at: at };
      if ((await store.actions.insert(action, maxActionsPerUser)) === 'limit reached')
        throw new AppError('limit_reached', `You have ${maxActionsPerUser} actions; delete one first.`);
      return action;
    },

    /** For who made it, and admins of its workspace. Raises `not_found`, also for built-in actions. */
    async updateAction(principal: Principal, id: string, changes: ActionChanges): Promise<Action> {
      const action = await store.actions.update(languageReach(principal), id, changes, now());
      if (!action) throw notFound('Action');
      return action;
    },

    async removeAction(principal: Principal, id: string): Promise<void> {
      if (!(await store.actions.remove(languageReach(principal), id))) throw notFound('Action');
    },

    /** Queues a text about the note. Raises `service_unavailable` without a model, `not_found`, and `validation_error`. */
    async enhance(principal: Principal, noteId: string, wish: EnhanceWish): Promise<LanguageJob> {
      if (!(await store.notes.place(reachOf(principal), noteId))) throw notFound('Note');
      if (!writer.isOn) throw new WriterFailed('off');
      const action = (await actions(principal)).find(({ id }) => id === wish.action);
      if (!action)
        throw new AppError(
          'validation_error',
          'action must be the id of one of the actions of GET /actions.',
        );
      const language = wish.language ?? action.language;
      if (action.id === 'translate' && language === null)
        throw new AppError('validation_error', 'language must say what to translate into.');
      const output = action.output === 'title' ? action.output : (wish.output ?? action.output);
      const task = { ...action, language, output };
      const wanted = { id: newId(), reach: languageReach(principal), noteId, task };
      const queued = await store.languageQueue.insert(wanted, mostWaiting, now());
      if (queued === 'limit reached')
        throw new AppError(
          'limit_reached',
          `${mostWaiting} texts of yours wait already; let them end first.`,
        );
      worker.wake();
      return queued;
    },

    async jobs(
      principal: Principal,
      { note_id: noteId, ...options }: PageOptions & { note_id?: string | undefined },
    ): Promise<Page<LanguageJob>> {
      const query = { ...pageQuery('language jobs', options), noteId };
      return toPage(
        'language jobs',
        await store.languageQueue.list(languageReach(principal), query),
        options.limit,
      );
    },

    /** Raises `not_found`. One that is over stays as it is. */
    async cancel(principal: Principal, id: string): Promise<void> {
      if (!(await store.languageQueue.cancel(languageReach(principal), id, now()))) throw notFound('Job');
      worker.cancel(id);
      signals.notify(id);
    },

    /** What happens to a job from now on, with its text as it comes. Ends with the job, or with the signal. Raises `not_found`. */
    async follow(
      principal: Principal,
      id: string,
      signal: AbortSignal,
    ): Promise<AsyncGenerator<LanguageEvent>> {
      return follow(languageReach(principal), await job(principal, id), signal);
    },

    /** With where texts go; null without a model or while it does not answer. */
    async settings({
      userId,
    }: Principal): Promise<LanguageSettings & { is_on: boolean; model: WriterStatus | null }> {
      const [settings, model] = await Promise.all([
        store.language.settings(userId),
        writer.isOn ? writer.status().catch(() => null) : null,
      ]);
      return { ...settings, is_on: writer.isOn, model };
    },

    /** Raises `validation_error` for actions that the person does not have. */
    async changeSettings(principal: Principal, changes: Partial<LanguageSettings>) {
      const known = new Set((await actions(principal)).map(({ id }) => id));
      const named = [
        ...(changes.actions ?? []),
        ...(changes.folders ?? []).flatMap((folder) => folder.actions),
      ];
      if (named.some((id) => !known.has(id)))
        throw new AppError('validation_error', 'actions must be ids of GET /actions.');
      if (named.includes('translate'))
        throw new AppError(
          'validation_error',
          'translate needs a language; make an action of your own for it.',
        );
      await store.language.setSettings(principal.userId, changes);
      return this.settings(principal);
    },

    removeOld: () => store.languageQueue.removeOlder(new Date(clock() - keptDays * dayMs).toISOString()),
  };
}

const isOver = ({ state }: LanguageJob) => state === 'done' || state === 'failed' || state === 'cancelled';

const languageReach = (principal: Principal): LanguageReach => ({
  userId: principal.userId,
  notes: reachOf(principal),
  workspaceId: principal.kind === 'workspace' ? principal.workspaceId : null,
});
