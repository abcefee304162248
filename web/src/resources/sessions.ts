import type { components } from '@steno/sdk';
import { cache } from '../api/cache.ts';
import { api, at } from '../api/client.ts';
import { useData } from './use-data.ts';

/** One place where the person is signed in. */
export type Session = components['schemas']['Session'];

const listKey = ['sessions'];

export const useSessions = () => useData(listKey, () => api.GET('/api/sessions'));

export const endSession = (id: string) => api.DELETE('/api/sessions/{id}', at({ id }));

export const endAllSessions = () => api.DELETE('/api/sessions');

export const refreshSessions = () => cache.invalidateQueries({ queryKey: listKey });
