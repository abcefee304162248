import { useQuery } from '@tanstack/react-query';
import { cache } from '../api/cache.ts';
import { api } from '../api/client.ts';
import { rememberFirstStepsOver } from './first-steps-over.ts';
import { hasListedNotes, refreshNoteLists } from './note-list.ts';

const key = ['first-steps'];

/** What a new person has done. The server makes a sample voice note with the first call. */
export function useFirstSteps(userId: string) {
  return useQuery({
    queryKey: key,
    queryFn: async () => {
      const { data } = await api.POST('/api/account/first-steps');
      if (!data.shown) rememberFirstStepsOver(userId);
      // The server makes the sample in an empty account alone. A sample further down than the list is read is not new.
      if (data.sample_id && !hasListedNotes()) void refreshNoteLists();
      return data;
    },
  });
}

export const refreshFirstSteps = () => cache.invalidateQueries({ queryKey: key });

export async function endFirstSteps(): Promise<void> {
  await api.DELETE('/api/account/first-steps');
  await refreshFirstSteps();
}
