import { useQuery } from '@tanstack/react-query';

const everyMinuteMs = 60_000;
const whileDownMs = 5_000;
export const healthKey = ['health'];

/** Asks the server once a minute whether it is up, and more often while it is not. */
export const useHealth = () =>
  useQuery({
    queryKey: healthKey,
    queryFn: async () => {
      const response = await fetch('/healthz');
      // Chromium keeps an answer open until it is read, and its connection with it.
      await response.text();
      if (!response.ok) throw new Error(`/healthz answered ${response.status}`);
      return true;
    },
    refetchInterval: ({ state }) => (state.status === 'error' ? whileDownMs : everyMinuteMs),
    retry: false,
  });
