import { type QueryClient, useQuery } from '@tanstack/react-query';
import { api, read } from '../api/client.ts';
import type { components } from '../api/schema.d.ts';

/** One place where the person is signed in. */
export type Session = components['schemas']['Session'];

const listKey = ['sessions'];

export const useSessions = () =>
  useQuery({
    queryKey: listKey,
    queryFn: async () => (await read(api.GET('/api/sessions'))).data,
  });

export const endSession = (id: string) =>
  read(api.DELETE('/api/sessions/{id}', { params: { path: { id } } }));

export const endAllSessions = () => read(api.DELETE('/api/sessions'));

export const refreshSessions = (client: QueryClient) => client.invalidateQueries({ queryKey: listKey });
