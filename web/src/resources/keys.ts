import type { operations } from '@steno/sdk';
import { useQuery } from '@tanstack/react-query';
import { cache } from '../api/cache.ts';
import { api } from '../api/client.ts';

type KeyDraft = operations['createKey']['requestBody']['content']['application/json'];

const listKey = ['keys'];

export const useKeys = () =>
  useQuery({
    queryKey: listKey,
    queryFn: async () => (await api.GET('/api/v1/keys/list')).data.keys,
  });

export const createKey = async (body: KeyDraft) => (await api.POST('/api/v1/keys/create', { body })).data;

export const revokeKey = (id: string) => api.POST('/api/v1/keys/{id}/revoke', { params: { path: { id } } });

export const rotateKey = async (id: string, graceHours: number) =>
  (
    await api.POST('/api/v1/keys/{id}/rotate', {
      params: { path: { id } },
      body: { grace_hours: graceHours },
    })
  ).data;

export const refreshKeys = () => cache.invalidateQueries({ queryKey: listKey });
