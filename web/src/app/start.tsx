import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { firstAnswer } from '../api/first-answers.ts';
import { onPageEnd } from '../api/person.ts';
import { stopAsking } from '../lib/unsaved.ts';
import { keepQueries, startFromKept } from '../resources/kept-queries.ts';
import { App } from './app.tsx';
import { prepareCache } from './prepare-cache.ts';
import { screenAt } from './screens.tsx';

/** React removes the first paint, so its own screen must be loaded by then. */
export async function start(root: HTMLElement): Promise<void> {
  const { pathname } = window.location;
  prepareCache();
  keepQueries();
  onPageEnd(stopAsking);
  await Promise.all([
    screenAt(pathname)?.preload(),
    // The page holds no answer when no person is signed in, or when the service worker served it because the server is away.
    firstAnswer('/api/v1/me') ?? (pathname !== '/sign-in' && startFromKept()),
  ]);
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
}
