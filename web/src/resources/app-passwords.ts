import type { components } from '@steno/sdk';
import { cache } from '../api/cache.ts';
import { api, at } from '../api/client.ts';
import { useData } from './use-data.ts';

/** For an app that only knows an address and a password. */
export type AppPassword = components['schemas']['AppPassword'];
/** The password itself is in this answer and never again. */
export type NewAppPassword = AppPassword & { password: string };

const listKey = ['app-passwords'];

export const useAppPasswords = () => useData(listKey, () => api.GET('/api/app-passwords'));

export const createAppPassword = async (name: string): Promise<NewAppPassword> =>
  (await api.POST('/api/app-passwords', { body: { name } })).data;

export const revokeAppPassword = (id: string) => api.DELETE('/api/app-passwords/{id}', at({ id }));

export const refreshAppPasswords = () => cache.invalidateQueries({ queryKey: listKey });
