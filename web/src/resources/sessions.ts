import type { components } from '@steno/sdk';
import { useQuery } from '@tanstack/react-query';
import { cache } from '../api/cache.ts';
import { api } from '../api/client.ts';

/** One place where the person is signed in. */
export type Session = components['schemas']['Session'];

const listKey = ['sessions'];

export const useSessions = () =>
  useQuery({
    queryKey: listKey,
    queryFn: async () => (await api.GET('/api/sessions')).data,
  });

export const endSession = (id: string) => api.DELETE('/api/sessions/{id}', { params: { path: { id } } });

export const endAllSessions = () => api.DELETE('/api/sessions');

export const refreshSessions = () => cache.invalidateQueries({ queryKey: listKey });
