import type { ServerResponse } from 'node:http';
import { Webhook } from 'standardwebhooks';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { runBeside } from '../support/cli.ts';
import { stoppedClock } from '../support/clock.ts';
import { startFakeModel } from '../support/fake-model.ts';
import { allCommitted } from '../support/horizon.ts';
import { type Received, startReceiver } from '../support/receiver.ts';
import { settled, uploadTo } from '../support/recordings.ts';
import { recording } from '../support/speech.ts';
import { anyDatabase, startSteno, type TestSteno } from '../support/steno.ts';

const start = Date.parse('2026-05-01T12:00:00.000Z');

describe.each(anyDatabase)('tools for webhooks, on %s', (databaseKind) => {
  const clock = stoppedClock(start);
  let steno: TestSteno;
  let model: Awaited<ReturnType<typeof startFakeModel>>;
  let key: string;
  let answer: (one: Received, response: ServerResponse) => number | undefined;
  let receiver: Awaited<ReturnType<typeof startReceiver>>;
  beforeAll(async () => {
    model = await startFakeModel();
    steno = await startSteno({
      databaseKind,
      clock,
      webhookPollMs: 2 ** 31 - 1,
      config: {
        webhookNetworks: ['127.0.0.1'],
        language: { url: model.url, key: '', model: '', window: 0 },
      },
    });
  });
  beforeEach(async () => {
    ({ key } = await steno.person());
    answer = () => 204;
    receiver = await startReceiver((...given) => answer(...given));
  });
  afterEach(() => receiver.close());
  afterAll(async () => {
    steno.app.server.closeAllConnections();
    await steno.close();
    await model.close();
  });

  const call = async (method: string, path: string, body?: object, headers = {}) =>
    steno.call(method, path, { key, headers, ...(body && { body }) });
  const create = async (events = ['note.created']) => {
    await allCommitted(steno.database);
    return (await call('POST', '/webhooks', { url: receiver.url, events })).body.data;
  };
  const deliver = async () => {
    await allCommitted(steno.database);
    await steno.delivery.settle();
  };
  const verify = (secret: string, { text, headers }: Received) =>
    new Webhook(secret).sign(String(headers['webhook-id']), new Date(clock()), text);
  const signatures = ({ headers }: Received) => String(headers['webhook-signature']).split(' ');

  test('a test event is real, signed, marked and listed, also when the webhook is paused', async () => {
    const { id, secret } = await create();
    await call('PATCH', `/webhooks/${id}`, { status: 'paused' });
    const tested = await call('POST', `/webhooks/${id}/test`);
    expect(tested.body.data).toMatchObject({
      event: 'webhook.test',
      resource_id: id,
      response_status: 204,
      attempts: 1,
      error: null,
    });
    const [one] = receiver.received;
    expect(one?.body).toMatchObject({ type: 'webhook.test', data: { id, test: true } });
    expect(signatures(one ?? expect.fail())).toEqual([verify(secret, one ?? expect.fail())]);
    const { data } = (await call('GET', `/webhooks/${id}/deliveries`)).body;
    expect(data).toEqual([tested.body.data]);
    const again = await call('POST', `/webhooks/${id}/deliveries/${data[0].id}/redeliver`);
    expect(again.body.data).toMatchObject({ id: data[0].id, attempts: 2 });
    answer = () => 500;
    expect((await call('POST', `/webhooks/${id}/test`)).body.data).toMatchObject({
      delivered_at: null,
      response_status: 500,
    });
    expect((await call('GET', `/webhooks/${id}`)).body.data).toMatchObject({
      status: 'paused',
      failing_since: null,
    });
    const other = await steno.person();
    expect((await steno.call('POST', `/webhooks/${id}/test`, { key: other.key })).status).toBe(404);
  });

  test('after a rotation both secrets sign for the time given, and then the new one alone', async () => {
    const { id, secret: old } = await create();
    const named = { 'idempotency-key': 'roll' };
    const first = await call('POST', `/webhooks/${id}/rotate`, { grace_hours: 2 }, named);
    const { secret, old_secret_until } = first.body.data;
    expect(old_secret_until).toBe(new Date(clock() + 2 * 3_600_000).toISOString());
    expect((await call('POST', `/webhooks/${id}/rotate`, { grace_hours: 2 }, named)).text).toBe(first.text);
    await call('POST', '/notes/create', { content: 'x' });
    await deliver();
    const [one = expect.fail()] = receiver.received;
    expect(signatures(one)).toEqual([verify(secret, one), verify(old, one)]);
    clock.advance(2 * 3_600_000);
    await call('POST', `/webhooks/${id}/test`);
    const two = receiver.received[1] ?? expect.fail();
    expect(signatures(two)).toEqual([verify(secret, two)]);
    const last = (await call('POST', `/webhooks/${id}/rotate`, { grace_hours: 0 })).body.data;
    expect(last.old_secret_until).toBeNull();
    await call('POST', `/webhooks/${id}/test`);
    const three = receiver.received[2] ?? expect.fail();
    expect(signatures(three)).toEqual([verify(last.secret, three)]);
    expect((await call('GET', `/webhooks/${id}`)).text).not.toMatch(/whsec_/);
  });

  test('deliveries show the heads of request and answer, bounded, without secrets', async () => {
    answer = (_one, response) => {
      response.writeHead(202, {
        'x-trace': 'abc',
        'set-cookie': 'sid=hidden',
        'x-api-key': 'hidden',
        'x-long': 'y'.repeat(5_000),
      });
      response.end();
      return undefined;
    };
    const { id } = await create();
    await call('POST', '/notes/create', { content: 'x' });
    await deliver();
    const list = await call('GET', `/webhooks/${id}/deliveries`);
    const [{ request_head, response_head, id: message }] = list.body.data;
    expect(request_head).toContain(`webhook-id: ${message}`);
    expect(request_head).not.toMatch(/signature|v1,/);
    expect(response_head).toMatch(/^202\n.*x-trace: abc/s);
    expect(response_head.length).toBeLessThanOrEqual(1_024);
    expect(list.text).not.toContain('hidden');
  });

  test('steps of recordings and language jobs are events', async () => {
    const { id: note } = (await call('POST', '/notes/create', { content: 'The roof leaks.' })).body.data;
    const { id } = await create([
      'recording.queued',
      'recording.transcribing',
      'recording.done',
      'language_job.done',
    ]);
    const uploaded = await uploadTo(steno, key, recording({ ms: 2_000 }));
    const made = await settled(steno, key, uploaded.body.data.id);
    const job = (await call('POST', `/notes/${note}/enhance`, { action: 'summary' })).body.data;
    while ((await call('GET', `/language/jobs/${job.id}`)).body.data.state !== 'done')
      await new Promise((resolve) => setTimeout(resolve, 20));
    await deliver();
    expect(receiver.received.map(({ body }) => [body.type, body.data.id])).toEqual([
      ['recording.queued', made.id],
      ['recording.transcribing', made.id],
      ['recording.done', made.id],
      ['language_job.done', job.id],
    ]);
    expect((await call('GET', `/webhooks/${id}`)).body.data.status).toBe('active');
    const changes = await call('GET', '/changes');
    expect(changes.status).toBe(200);
  });

  test('a key without the scope gets no events of recordings, and none of jobs', async () => {
    const { key: reader } = await steno.person({ scopes: ['notes:read', 'notes:write'] });
    const ask = (event: string) =>
      steno.call('POST', '/webhooks', { key: reader, body: { url: receiver.url, events: [event] } });
    expect((await ask('recording.queued')).status).toBe(403);
    expect((await ask('language_job.done')).status).toBe(201);
  });

  test('steno webhooks listen forwards what happens, signed, until it is stopped', async () => {
    const url = await steno.app.listen({ host: '127.0.0.1', port: 0 });
    const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
    const events = 'note.created,recording.done';
    const argv = ['webhooks', 'listen', '--forward', receiver.url, '--url', url, '--key', key];
    const lines: string[] = [];
    const listening = runBeside(steno, [...argv, '--secret', secret, '--events', events], {}, lines);
    while (receiver.received.length === 0) {
      await call('POST', '/notes/create', { content: 'heard' });
      await allCommitted(steno.database);
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    const uploaded = await uploadTo(steno, key, recording({ ms: 1_000 }), '?note=false');
    const { id } = await settled(steno, key, uploaded.body.data.id);
    // Told when the answer has come back, which is after the receiver has the event.
    await expect.poll(() => lines.at(-1)).toBe(`recording.done ${id}: answered 204`);
    process.emit('SIGHUP');
    await listening;
    const last = receiver.received.at(-1) ?? expect.fail();
    expect(last.body.data).toEqual({ id, space_id: null });
    expect(new Webhook(secret).verify(last.text, last.headers)).toEqual(last.body);
    expect(lines[0]).toContain(receiver.url);
    await expect(runBeside(steno, [...argv.slice(0, -1), 'owk_live_wrong'])).rejects.toThrow('401');
  });
});
