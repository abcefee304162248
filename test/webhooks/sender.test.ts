import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createWebhookSender } from '../../src/engines/webhooks/sender.ts';
import { createResolve } from '../../src/lib/addresses.ts';
import { startNameServer } from '../support/name-server.ts';
import { startReceiver } from '../support/receiver.ts';

const request = { headers: { 'webhook-id': 'msg_1' }, body: '{}' };
let receiver: Awaited<ReturnType<typeof startReceiver>>;
beforeAll(async () => {
  receiver = await startReceiver();
});
beforeEach(() => receiver.received.splice(0));
afterAll(() => receiver.close());

const privateHosts = [
  '127.0.0.1',
  '127.1',
  '2130706433',
  '0x7f.0.0.1',
  '0.0.0.0',
  '10.1.2.3',
  '100.64.0.1',
  '169.254.169.254',
  '172.31.255.255',
  '192.168.0.1',
  '224.0.0.1',
  '255.255.255.255',
  '[::1]',
  '[::]',
  '[::ffff:10.0.0.1]',
  '[::ffff:a9fe:a9fe]',
  '[::ffff:0:127.0.0.1]',
  '[::127.0.0.1]',
  '[64:ff9b::a9fe:a9fe]',
  '[2002:7f00:1::]',
  '[fd00::1]',
  '[fe80::1]',
  'localhost',
  'localhost.',
  'sub.localhost',
];

test.each(privateHosts)('https://%s is refused unless the operator allows it', async (host) => {
  const closed = createWebhookSender({ allowedNetworks: [] });
  expect(await closed.findFault(`https://${host}/hook`)).toContain('private address');
  expect(await closed.send(`https://${host}/hook`, request)).toEqual({
    error: expect.stringContaining('private address'),
  });
  const open = createWebhookSender({ allowedNetworks: ['0.0.0.0/0', '::/0'] });
  expect(await open.findFault(`https://${host}/hook`)).toBeNull();
});

test.each(['8.8.8.8', '[2606:4700:4700::1111]', '172.32.0.1', '100.128.0.1'])(
  'https://%s is public',
  async (host) => {
    const sender = createWebhookSender({ allowedNetworks: [] });
    expect(await sender.findFault(`https://${host}/hook`)).toBeNull();
    expect(await sender.findFault(`http://${host}/hook`)).toContain('must start with https://');
  },
);

test.each([
  ['nonsense', 'must be an address'],
  ['ftp://8.8.8.8/', 'must start with https://'],
  ['file:///etc/passwd', 'must start with https://'],
  ['https://user:word@8.8.8.8/', 'user name or password'],
])('%s is refused', async (url, fault) => {
  expect(await createWebhookSender({ allowedNetworks: [] }).findFault(url)).toContain(fault);
});

test('a name that has become private since it was checked is not dialled', async () => {
  const answers = [['203.0.114.7'], ['127.0.0.1']];
  const resolve = async () => answers.shift() ?? [];
  const sender = createWebhookSender({ allowedNetworks: [], resolve });
  const url = `https://rebinding.example:${receiver.port}/hook`;
  expect(await sender.findFault(url)).toBeNull();
  expect(await sender.send(url, request)).toEqual({ error: expect.stringContaining('private address') });
  expect(answers).toEqual([]);
  expect(receiver.received).toEqual([]);
});

test('a name server that gives a public address for the check and a private one for the call gains nothing', async () => {
  const answers = ['203.0.114.7', '127.0.0.1'];
  const names = await startNameServer((_, type) => (type === 'A' ? answers.splice(0, 1) : []));
  const sender = createWebhookSender({ allowedNetworks: [], resolve: createResolve([names.address]) });
  const url = `https://rebinding.example:${receiver.port}/hook`;
  expect(await sender.findFault(url)).toBeNull();
  expect(await sender.send(url, request)).toEqual({ error: expect.stringContaining('private address') });
  expect(answers).toEqual([]);
  expect(receiver.received).toEqual([]);
  names.close();
});

test('the address that was checked is the one that is dialled: the name is asked for once per connection', async () => {
  // Whoever asked a second time would be sent to another machine, or refused.
  const answers = ['127.0.0.1', '10.0.0.1'];
  const names = await startNameServer((_, type) => (type === 'A' ? answers.splice(0, 1) : []));
  const resolve = createResolve([names.address]);
  const sender = createWebhookSender({ allowedNetworks: ['127.0.0.1'], resolve });
  const before = receiver.received.length;
  const url = `http://changing.example:${receiver.port}/hook`;
  expect(await sender.send(url, request)).toMatchObject({ status: 204 });
  expect(receiver.received).toHaveLength(before + 1);
  expect(names.asked.sort()).toEqual(['A changing.example', 'AAAA changing.example']);
  sender.close();
  names.close();
});

test('a name with private IPv6 addresses alone is refused', async () => {
  const names = await startNameServer((_, type) => (type === 'A' ? [] : ['::1', '::ffff:0:7f00:1']));
  const sender = createWebhookSender({ allowedNetworks: [], resolve: createResolve([names.address]) });
  const fault = await sender.findFault(`https://six.example:${receiver.port}/hook`);
  expect(fault).toContain('private address');
  names.close();
});

test('of several addresses only those are dialled that may be', async () => {
  const resolve = async () => ['10.0.0.1', '127.0.0.1'];
  const sender = createWebhookSender({ allowedNetworks: ['127.0.0.1'], resolve });
  const url = `http://several.example:${receiver.port}/hook`;
  expect(await sender.send(url, request)).toMatchObject({ status: 204 });
  expect(receiver.received.at(-1)?.headers.host).toBe(`several.example:${receiver.port}`);
  sender.close();
});

test('a connection that the receiver closes while it waits is no failure', async () => {
  const sender = createWebhookSender({ allowedNetworks: ['127.0.0.1'] });
  for (let count = 0; count < 20; count += 1) {
    expect(await sender.send(receiver.url, request)).toMatchObject({ status: 204 });
    receiver.dropIdle();
  }
  sender.close();
});
