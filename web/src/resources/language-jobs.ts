import type { components } from '@steno/sdk';
import { useEffect } from 'react';
import { cache } from '../api/cache.ts';
import { api, at } from '../api/client.ts';
import { followOne } from '../api/follow.ts';
import { createStore, useStore } from '../lib/store.ts';
import { refreshNote } from './notes.ts';
import { useHasModel } from './session.ts';
import { useData } from './use-data.ts';

export type LanguageJob = components['schemas']['LanguageJob'];

const jobsKey = (noteId: string) => ['language', 'jobs', noteId];
const shownJobs = 20;

export const isUnderWay = ({ state }: LanguageJob) => state === 'queued' || state === 'writing';

/** What the model writes and has written about a note, newest first. */
const useJobs = (noteId: string) =>
  useData(
    jobsKey(noteId),
    () => {
      const query = { note_id: noteId, limit: shownJobs };
      return api.GET('/api/v1/language/jobs', { params: { query } });
    },
    { enabled: useHasModel() },
  );

/** Begins to write. The job is shown at once. */
export async function writeAbout(noteId: string, body: { action: string; language?: string }): Promise<void> {
  const path = { id: noteId };
  const { data } = await api.POST('/api/v1/notes/{id}/enhance', { params: { path }, body });
  put(data);
}

export async function cancelJob({ id, note_id }: LanguageJob): Promise<void> {
  await api.DELETE('/api/v1/language/jobs/{id}', at({ id }));
  await cache.invalidateQueries({ queryKey: jobsKey(note_id) });
}

function put(job: LanguageJob): void {
  cache.setQueryData<LanguageJob[]>(jobsKey(job.note_id), (before = []) =>
    before.some(({ id }) => id === job.id)
      ? before.map((one) => (one.id === job.id ? job : one))
      : [job, ...before],
  );
}

/** The text so far of the job that is followed. A person's texts are written one at a time. */
const partial = createStore<{ job: LanguageJob; text: string } | undefined>(undefined);

export function usePartial(noteId: string) {
  const current = useStore(partial);
  return current?.job.note_id === noteId ? current : undefined;
}

/** The jobs of the note; one of those under way is followed. Calls `onDone` when that has written its text. */
export function useFollowedJobs(noteId: string, onDone: (job: LanguageJob) => void): readonly LanguageJob[] {
  const jobs = useJobs(noteId).data ?? [];
  const followed = jobs.findLast(({ state }) => state === 'writing') ?? jobs.findLast(isUnderWay);
  const id = followed?.id;
  // biome-ignore lint/correctness/useExhaustiveDependencies: one stream for each job, whatever its state
  useEffect(() => {
    if (!followed || id === undefined) return;
    let job = followed;
    let text = '';
    const stop = followOne('/api/v1/language/jobs/{id}/events', id, ({ event, data }) => {
      if (event === 'text') {
        text = text.slice(0, data.offset) + data.text;
        partial.set({ job, text });
        return;
      }
      job = data;
      if (isUnderWay(job)) put(job);
      else void end();
    });
    /** It has all been told. The text stays until the note is there. */
    async function end() {
      stop();
      if (job.state === 'done') await refreshNote(noteId).catch(() => {});
      put(job);
      partial.set(undefined);
      if (job.state === 'done') onDone(job);
    }
    return () => {
      stop();
      partial.set(undefined);
    };
  }, [noteId, id]);
  return jobs;
}
