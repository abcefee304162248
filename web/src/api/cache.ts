import { QueryClient } from '@tanstack/react-query';

/** What this page has read from the server. A page has one person: it is loaded again for another. */
export const cache = new QueryClient();
