import { useQuery } from '@tanstack/react-query';

const everyMinuteMs = 60_000;

/** Asks the server once a minute whether it is up. */
export const useHealth = () =>
  useQuery({
    queryKey: ['health'],
    queryFn: async () => {
      const response = await fetch('/healthz');
      // Chromium keeps an answer open until it is read, and its connection with it.
      await response.text();
      if (!response.ok) throw new Error(`/healthz answered ${response.status}`);
      return true;
    },
    refetchInterval: everyMinuteMs,
    retry: false,
  });
