import { afterAll, beforeAll, expect, test } from 'vitest';
import { startReceiver } from '../support/receiver.ts';
import { startSteno, type TestSteno } from '../support/steno.ts';

let steno: TestSteno;
let receiver: Awaited<ReturnType<typeof startReceiver>>;
beforeAll(async () => {
  // It looks for new events by itself, as a real server does.
  steno = await startSteno({ config: { webhookNetworks: ['127.0.0.1'] }, webhookPollMs: 20 });
  receiver = await startReceiver();
});
afterAll(async () => {
  await steno.close();
  await receiver.close();
});

async function webhookOf(key: string) {
  const body = { url: receiver.url, events: ['note.created'] };
  const { id } = (await steno.call('POST', '/webhooks', { key, body })).body.data;
  return {
    change: (changes: object) => steno.call('PATCH', `/webhooks/${id}`, { key, body: changes }),
    get: async () => (await steno.call('GET', `/webhooks/${id}`, { key })).body.data,
  };
}

test('events go out by themselves', async () => {
  const { key } = await steno.person();
  await webhookOf(key);
  const { id } = (await steno.call('POST', '/notes/create', { key, body: { content: 'x' } })).body.data;
  await expect.poll(() => receiver.received.map(({ body }) => body.data.id)).toEqual([id]);
});

test('a change to an event that the key may not read is 403, and changes nothing', async () => {
  const { key } = await steno.person({ scopes: ['notes:read', 'notes:write'] });
  const webhook = await webhookOf(key);
  const refused = await webhook.change({ events: ['note.created', 'recording.done'] });
  expect([refused.status, refused.body.error.message]).toEqual([
    403,
    'This key lacks the scope transcriptions:read; recording.done needs it.',
  ]);
  expect((await webhook.get()).events).toEqual(['note.created']);
});

test.each(['http://10.0.0.1/hook', 'http://169.254.169.254/latest', 'ftp://example.org/', 'nonsense'])(
  'a change of the address to %s is 400, and changes nothing',
  async (url) => {
    const { key } = await steno.person();
    const webhook = await webhookOf(key);
    const refused = await webhook.change({ url });
    expect([refused.status, refused.body.error.code]).toEqual([400, 'validation_error']);
    expect(refused.body.error.message).toContain('url');
    expect((await webhook.get()).url).toBe(receiver.url);
  },
);

test('a change of nothing answers with the webhook as it is', async () => {
  const { key } = await steno.person();
  const webhook = await webhookOf(key);
  const before = await webhook.get();
  expect((await webhook.change({})).body.data).toEqual(before);
});
