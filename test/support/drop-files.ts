import type { Page } from 'playwright-core';
import { expect } from 'vitest';

export interface DroppedFile {
  name: string;
  type: string;
  bytes: Buffer;
}

/** As if somebody dragged these files over the page, waited until it says this, and dropped them. */
export async function dropFiles(page: Page, files: readonly DroppedFile[], says: string): Promise<void> {
  const made = files.map(
    ({ name, type, bytes }) =>
      `new File([Uint8Array.from(atob('${bytes.toString('base64')}'), (c) => c.charCodeAt(0))], '${name}', { type: '${type}' })`,
  );
  const dataTransfer = await page.evaluateHandle(
    `(() => { const all = new DataTransfer(); for (const file of [${made}]) all.items.add(file); return all; })()`,
  );
  // A browser repeats this event too. At the first one the page may not listen yet.
  await expect
    .poll(async () => {
      await page.dispatchEvent('main', 'dragover', { dataTransfer });
      return page.getByText(says, { exact: true }).isVisible();
    })
    .toBe(true);
  await page.dispatchEvent('main', 'drop', { dataTransfer });
}
