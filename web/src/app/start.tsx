import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { screenAt } from './screens.tsx';

/** React removes what was painted first, so its own screen must be there by then. */
export async function start(root: HTMLElement): Promise<void> {
  await screenAt(window.location.pathname)?.preload();
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
}
