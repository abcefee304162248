import type { Page, Request } from 'playwright-core';

const open = new WeakMap<Page, Set<Request>>();
const quietMs = 500;

/** Call it for a new page, before it loads anything. */
export function watchNetwork(page: Page): void {
  const requests = new Set<Request>();
  open.set(page, requests);
  page.on('request', (request) => {
    // A stream of events is never over.
    if (!new URL(request.url()).pathname.endsWith('/events')) requests.add(request);
  });
  // Playwright types each name by itself.
  for (const event of ['requestfinished', 'requestfailed'] as const)
    page.on(event as 'requestfinished', (request) => void requests.delete(request));
}

/** Resolves when the page has asked for nothing for a while. */
export async function networkQuiet(page: Page): Promise<void> {
  const requests = open.get(page);
  if (!requests) throw new Error('Nobody watches the network of this page.');
  for (let since = Date.now(); Date.now() - since < quietMs; await page.waitForTimeout(50))
    if (requests.size > 0) since = Date.now();
}
