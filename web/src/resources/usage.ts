import { type QueryClient, useQuery } from '@tanstack/react-query';
import { api, read } from '../api/client.ts';
import type { components } from '../api/schema.d.ts';

export type Usage = components['schemas']['Usage'];

export type UsageDay = Awaited<ReturnType<typeof fetchDays>>[number];

const usageKey = ['usage'];

export const useUsage = () =>
  useQuery({
    queryKey: usageKey,
    queryFn: fetchUsage,
  });

export const useUsageDays = () => useQuery({ queryKey: [...usageKey, 'days'], queryFn: fetchDays });

const fetchDays = async () => (await read(api.GET('/api/v1/usage/days'))).data;

export const fetchUsage = async (): Promise<Usage> => (await read(api.GET('/api/v1/usage'))).data;

export const refreshUsage = (client: QueryClient) => client.invalidateQueries({ queryKey: usageKey });
