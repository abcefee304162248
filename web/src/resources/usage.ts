import type { components } from '@steno/sdk';
import { useQuery } from '@tanstack/react-query';
import { cache } from '../api/cache.ts';
import { api } from '../api/client.ts';

export type Usage = components['schemas']['Usage'];

export type UsageDay = Awaited<ReturnType<typeof fetchDays>>[number];

const usageKey = ['usage'];

export const useUsage = () =>
  useQuery({
    queryKey: usageKey,
    queryFn: fetchUsage,
  });

export const useUsageDays = () => useQuery({ queryKey: [...usageKey, 'days'], queryFn: fetchDays });

const fetchDays = async () => (await api.GET('/api/v1/usage/days')).data;

export const fetchUsage = async (): Promise<Usage> => (await api.GET('/api/v1/usage')).data;

export const refreshUsage = () => cache.invalidateQueries({ queryKey: usageKey });
