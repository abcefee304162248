import { rmSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { newFolder, startServer } from '../support/process.ts';

let dataDir: string;
beforeEach(() => {
  dataDir = newFolder();
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

describe('the first start', () => {
  test('prints once the address, a key that works, a curl that makes a note, and where the docs are', async () => {
    const server = await startServer({ dataDir });
    expect(server.key).toBeDefined();
    const me = await fetch(`${server.address}/api/v1/me`, {
      headers: { authorization: `Bearer ${server.key}` },
    });
    expect(me.status).toBe(200);
    expect(await server.stop()).toMatchObject({ code: 0, stderr: '' });
    const again = await startServer({ dataDir });
    expect(again.key).toBeUndefined();
    await again.stop();
  });
});
