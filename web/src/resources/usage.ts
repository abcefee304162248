import { type QueryClient, useQuery } from '@tanstack/react-query';
import { api, read } from '../api/client.ts';
import type { components } from '../api/schema.d.ts';

export type Usage = components['schemas']['Usage'];

const usageKey = ['usage'];

export const useUsage = () =>
  useQuery({
    queryKey: usageKey,
    queryFn: fetchUsage,
  });

export const fetchUsage = async (): Promise<Usage> => (await read(api.GET('/api/v1/usage'))).data;

export const refreshUsage = (client: QueryClient) => client.invalidateQueries({ queryKey: usageKey });
