import { rmSync } from 'node:fs';
import { expect, test } from 'vitest';
import { operatorOf, signInBy } from '../support/operator-of.ts';
import { newFolder, startServer } from '../support/process.ts';
import { startReceiver } from '../support/receiver.ts';

test('a server that is killed while it tells the audit log tells all of it after the next start', async () => {
  const dataDir = newFolder();
  let isSilent = true;
  // The first event is taken, and the answer never comes.
  const receiver = await startReceiver(() => (isSilent ? undefined : 204));
  const { link } = await operatorOf(dataDir);
  const start = () => startServer({ dataDir, settings: { STENO_WEBHOOK_NETWORKS: '127.0.0.1' } });
  let server = await start();
  try {
    const authorization = `Bearer ${await signInBy(server.address, link)}`;
    const post = async (route: string, body: object) => {
      const headers = { authorization, 'content-type': 'application/json' };
      const sent = { method: 'POST', headers, body: JSON.stringify(body) };
      expect((await fetch(`${server.address}/api/v1${route}`, sent)).status).toBe(201);
    };
    const makeKey = (name: string) => post('/keys/create', { name, scopes: ['notes:read'] });
    // It hears first that it was made.
    await post('/webhooks', { url: receiver.url, events: ['audit.recorded'], server: true });
    await makeKey('one');
    await expect.poll(() => receiver.received.length).toBe(1);
    await makeKey('two');
    await server.kill();
    isSilent = false;
    server = await start();
    await makeKey('three');
    await expect.poll(() => receiver.received.length).toBe(5);
    const told = receiver.received.map(({ body }) => [body.data.act, body.data.subject_name]);
    const made = ['webhook.created', new URL(receiver.url).origin];
    expect(told).toEqual([made, made, ...['one', 'two', 'three'].map((name) => ['key.created', name])]);
    const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
    expect(ids[1]).toBe(ids[0]);
    expect(new Set(ids).size).toBe(4);
  } finally {
    await server.kill();
    await receiver.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
});
