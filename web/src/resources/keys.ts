import type { operations } from '@steno/sdk';
import { useQuery } from '@tanstack/react-query';
import { cache } from '../api/cache.ts';
import { api, at } from '../api/client.ts';

type KeyDraft = operations['createKey']['requestBody']['content']['application/json'];

const listKey = ['keys'];

export const useKeys = () =>
  useQuery({ queryKey: listKey, queryFn: async () => (await api.GET('/api/v1/keys/list')).data.keys });

export const createKey = async (body: KeyDraft) => (await api.POST('/api/v1/keys/create', { body })).data;

export const revokeKey = (id: string) => api.POST('/api/v1/keys/{id}/revoke', at({ id }));

export const rotateKey = async (id: string, grace_hours: number) =>
  (await api.POST('/api/v1/keys/{id}/rotate', { ...at({ id }), body: { grace_hours } })).data;

export const refreshKeys = () => cache.invalidateQueries({ queryKey: listKey });
