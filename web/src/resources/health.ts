import { useQuery } from '@tanstack/react-query';

const everyMinuteMs = 60_000;

/** Asks the server once a minute whether it is up. */
export const useHealth = () =>
  useQuery({
    queryKey: ['health'],
    queryFn: async () => {
      const response = await fetch('/healthz');
      if (!response.ok) throw new Error(`/healthz answered ${response.status}`);
      return true;
    },
    refetchInterval: everyMinuteMs,
    retry: false,
  });
