import { Webhook } from 'standardwebhooks';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { personalKeysOf } from '../../src/domain/api-key.ts';
import { operator } from '../../src/domain/principal.ts';
import type { Delivery } from '../../src/domain/webhook.ts';
import { change, own } from '../../src/features/webhooks/acts.ts';
import { newUuid } from '../../src/lib/uuid.ts';
import { runBeside } from '../support/cli.ts';
import { stoppedClock } from '../support/clock.ts';
import { allCommitted } from '../support/horizon.ts';
import { capturedLog } from '../support/log.ts';
import { type Received, startReceiver } from '../support/receiver.ts';
import { settled, uploadTo } from '../support/recordings.ts';
import { recording } from '../support/speech.ts';
import { anyDatabase, startSteno, type TestSteno, testPlans } from '../support/steno.ts';
import { runWebhook } from '../support/webhook-run.ts';

const minute = 60_000;
const hour = 60 * minute;
const plans = { ...testPlans, business: { ...testPlans.business, recordingMaxMinutes: 1 } };
const start = Date.parse('2026-05-01T12:00:00.000Z');

describe.each(anyDatabase)('webhooks on %s', (databaseKind) => {
  const clock = stoppedClock(start);
  const { log, text: logged } = capturedLog();
  let steno: TestSteno;
  let key: string;
  let keyId: string;
  let userId: string;
  let status: number | ((one: Received) => number);
  let receiver: Awaited<ReturnType<typeof startReceiver>>;

  beforeAll(async () => {
    // Polled by the tests alone.
    const options = { databaseKind, clock, log, webhookPollMs: 2 ** 31 - 1 };
    steno = await startSteno({ ...options, config: { webhookNetworks: ['127.0.0.1'], plans } });
  });
  beforeEach(async () => {
    const person = await steno.person();
    ({ key, keyId } = person);
    userId = person.user.id;
    status = 204;
    receiver = await startReceiver((one) => (typeof status === 'number' ? status : status(one)));
  });
  afterEach(() => receiver.close());
  afterAll(() => steno.close());

  const call = (method: string, path: string, body?: object, of = key) =>
    steno.call(method, path, { key: of, ...(body && { body }) });
  const create = async (draft: object = {}) => {
    await allCommitted(steno.database);
    const answer = await call('POST', '/webhooks', { url: receiver.url, events: ['note.created'], ...draft });
    expect(answer.status).toBe(201);
    return answer.body.data;
  };
  const issue = (draft: { name: string; expires_in_days?: number }) =>
    steno.keys.issue(operator, personalKeysOf(userId), { ...draft, scopes: ['notes:read', 'notes:write'] });
  const note = async (content = 'x') => (await call('POST', '/notes/create', { content })).body.data;
  const deliver = async () => {
    await allCommitted(steno.database);
    await steno.delivery.settle();
  };
  const told = () => receiver.received.map(({ body }) => [body.type, body.data.id]);
  const shown = async (id: string) => (await call('GET', `/webhooks/${id}`)).body.data;
  const deliveries = async (id: string): Promise<Delivery[]> =>
    (await call('GET', `/webhooks/${id}/deliveries`)).body.data;

  test('tells what happened, in order, signed by the standard scheme, and no texts', async () => {
    await note('before the webhook');
    const events = ['note.created', 'note.updated', 'note.deleted', 'transcription.created'];
    const { secret, id } = await create({ events });
    const { id: noteId } = await note('very private words');
    await call('PATCH', `/notes/${noteId}`, { title: 'private title' });
    await call('POST', '/folders/create', { name: 'not of interest' });
    await call('DELETE', `/notes/${noteId}`);
    const { id: transcription } = (await steno.upload(key)).body.data;
    await deliver();
    expect(told()).toEqual([
      ['note.created', noteId],
      ['note.updated', noteId],
      ['note.deleted', noteId],
      ['transcription.created', transcription],
    ]);
    const verifier = new Webhook(secret);
    for (const { text, headers } of receiver.received) {
      expect(text).not.toContain('private');
      // The package holds the time against the clock of the machine, which is not the server's here.
      const signature = verifier.sign(
        headers['webhook-id'] ?? '',
        new Date(Number(headers['webhook-timestamp']) * 1000),
        text,
      );
      expect(headers['webhook-signature']).toBe(signature);
      expect(Number(headers['webhook-timestamp'])).toBe(Math.floor(clock() / 1000));
      expect(headers['content-type']).toBe('application/json');
    }
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(4);
    const all = await deliveries(id);
    expect(all.every(({ delivered_at }) => delivered_at !== null)).toBe(true);
    const first = (await call('GET', `/webhooks/${id}/deliveries?limit=1`)).body;
    expect(first).toMatchObject({ data: [all[0]], has_more: true });
    const next = await call('GET', `/webhooks/${id}/deliveries?cursor=${first.next_cursor}`);
    expect(next.body).toEqual({ data: all.slice(1), has_more: false, next_cursor: null });
    await deliver();
    expect(receiver.received).toHaveLength(4);
  });

  test('the secret is shown once and is in no log', async () => {
    const { secret, id } = await create();
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    const list = await call('GET', '/webhooks');
    expect(list.body.data.map((one: { id: string }) => one.id)).toEqual([id]);
    for (const text of [list.text, (await call('GET', `/webhooks/${id}`)).text, logged()])
      expect(text).not.toContain(secret);
  });

  test('the end of a recording is told after what it became, and is no change for GET /changes', async () => {
    const { next_cursor } = (await call('GET', '/changes')).body;
    const events = ['recording.done', 'recording.failed', 'note.created', 'transcription.created'];
    await create({ events });
    const send = async (file: Uint8Array) => {
      const { id } = (await uploadTo(steno, key, file, '?note=true')).body.data;
      return settled(steno, key, id);
    };
    const done = await send(recording());
    const failed = await send(recording({ ms: 2 * minute }));
    await deliver();
    expect(told()).toEqual([
      ['note.created', done.note_id],
      ['transcription.created', done.transcription_id],
      ['recording.done', done.id],
      ['recording.failed', failed.id],
    ]);
    const changes = (await call('GET', `/changes?since=${next_cursor}`)).body.data;
    expect(changes.map(({ type }: { type: string }) => type)).not.toContain('recording');
  });

  test('what fails holds back what comes after it, is tried again after 30 s, 2 min, 10 min, 1 h, 6 h, and after a day it is paused', async () => {
    const { id } = await create();
    status = 500;
    const [first, second] = [await note(), await note()];
    const began = clock();
    const tries: number[] = [];
    for (let known = 0; (await shown(id)).status === 'active'; ) {
      await deliver();
      if (receiver.received.length > known) tries.push((clock() - began) / 1000);
      known = receiver.received.length;
      clock.advance(Math.max(1, Date.parse((await shown(id)).next_attempt_at) - clock()));
    }
    const at = [0, 30, 150, 750, 4350, 25_950, 47_550, 69_150, 86_400];
    expect(tries.map(Math.floor)).toEqual(at);
    expect(told()).toEqual(at.map(() => ['note.created', first.id]));
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    const paused = await shown(id);
    expect(paused.pause_reason).toBe('The receiver has accepted nothing for a day.');
    expect(paused.failing_since).toBe(new Date(began).toISOString());
    expect(logged()).toContain('Webhook paused');
    expect(logged()).not.toContain(receiver.url);
    const [stuck] = await deliveries(id);
    expect(stuck).toMatchObject({ attempts: 9, delivered_at: null, response_status: 500 });
    clock.advance(48 * hour);
    await deliver();
    expect(receiver.received).toHaveLength(9);

    status = 204;
    const { body } = await call('PATCH', `/webhooks/${id}`, { status: 'active' });
    expect(body.data).toMatchObject({ status: 'active', pause_reason: null, failing_since: null });
    await deliver();
    expect(told().slice(9)).toEqual([
      ['note.created', first.id],
      ['note.created', second.id],
    ]);
  });

  test('410 Gone pauses at once; a changed address is tried at once', async () => {
    const { id } = await create();
    status = 410;
    await note();
    await deliver();
    expect(await shown(id)).toMatchObject({
      status: 'paused',
      pause_reason: 'The receiver answered 410 Gone.',
    });
    status = 204;
    await call('PATCH', `/webhooks/${id}`, { url: `${receiver.url}2`, status: 'active' });
    await deliver();
    expect(receiver.received).toHaveLength(2);
  });

  test('no redirect is followed, an answer is read up to a limit, a receiver that is away is said', async () => {
    const endless = await startReceiver((_, response) => {
      response.writeHead(200);
      const timer = setInterval(() => response.write('x'.repeat(10_000)), 1);
      response.on('close', () => clearInterval(timer));
      return undefined;
    });
    const lead = await startReceiver((_, response) => {
      response.writeHead(307, { location: receiver.url }).end();
      return undefined;
    });
    const [endlessHook, leadHook, awayHook] = [
      await create({ url: endless.url }),
      await create({ url: lead.url }),
      await create({ url: 'http://127.0.0.1:1/' }),
    ];
    await note();
    await deliver();
    expect((await deliveries(endlessHook.id))[0]).toMatchObject({ response_status: 200, error: null });
    expect((await deliveries(leadHook.id))[0]).toMatchObject({ response_status: 307, delivered_at: null });
    expect((await deliveries(awayHook.id))[0]).toMatchObject({
      response_status: null,
      error: 'The receiver refused the connection.',
    });
    expect(receiver.received).toEqual([]);
    for (const { id } of [endlessHook, leadHook, awayHook]) await call('DELETE', `/webhooks/${id}`);
    await endless.close();
    await lead.close();
  });

  test('a delivery is sent again by request, with the same id', async () => {
    const { id } = await create();
    const made = await note();
    await deliver();
    const [before] = await deliveries(id);
    const again = () => call('POST', `/webhooks/${id}/deliveries/${before?.id}/redeliver`);
    expect((await again()).body.data).toMatchObject({ id: before?.id, attempts: 2, error: null });
    status = 503;
    const failed = (await again()).body.data;
    expect(failed).toMatchObject({ attempts: 3, response_status: 503, delivered_at: null });
    expect(told()).toEqual(Array(3).fill(['note.created', made.id]));
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id']))).toEqual(
      new Set([before?.id]),
    );
    expect((await deliveries(id))[0]?.delivered_at).not.toBeNull();
    expect((await call('POST', `/webhooks/${id}/deliveries/msg_none/redeliver`)).status).toBe(404);
  });

  test('a delivery that succeeds by request brings a failing webhook back at once', async () => {
    const { id } = await create();
    status = 500;
    const [first, second] = [await note(), await note()];
    await deliver();
    status = 204;
    await deliver();
    expect(receiver.received).toHaveLength(1);
    const [stuck] = await deliveries(id);
    await call('POST', `/webhooks/${id}/deliveries/${stuck?.id}/redeliver`);
    await deliver();
    expect(
      told()
        .slice(1)
        .map(([, noteId]) => noteId),
    ).toEqual([first.id, first.id, second.id]);
  });

  test('a paused webhook is told later what happened meanwhile, a deleted one is not', async () => {
    const { id } = await create();
    await call('PATCH', `/webhooks/${id}`, { status: 'paused' });
    const made = await note();
    await deliver();
    expect(receiver.received).toEqual([]);
    await call('PATCH', `/webhooks/${id}`, { status: 'active' });
    await deliver();
    expect(told()).toEqual([['note.created', made.id]]);
    await note();
    expect((await call('DELETE', `/webhooks/${id}`)).status).toBe(204);
    await deliver();
    expect(receiver.received).toHaveLength(1);
    expect((await call('GET', `/webhooks/${id}`)).status).toBe(404);
  });

  test('the operator sees all webhooks, and pauses and resumes them', async () => {
    const { id } = await create();
    const list = (await runBeside(steno, ['webhooks', 'list'])).join('\n');
    expect(list).toMatch(new RegExp(`^${id}\\s+${userId}\\s+${receiver.url}\\s+note.created\\s+active`, 'm'));
    expect(list).not.toContain('whsec_');
    expect(await runBeside(steno, ['webhooks', 'pause', id])).toEqual([`Paused ${id}.`]);
    expect((await shown(id)).status).toBe('paused');
    expect(await runBeside(steno, ['webhooks', 'resume', id])).toEqual([`Resumed ${id}.`]);
    expect((await shown(id)).status).toBe('active');
    await expect(runBeside(steno, ['webhooks', 'resume', newUuid()])).rejects.toThrow('Webhook not found');
  });

  test('a workspace key has webhooks for its spaces', async () => {
    const team = await steno.team();
    const space = { space_id: team.space.id };
    const draft = { url: receiver.url, events: ['note.created'], ...space };
    const { data } = (await call('POST', '/webhooks', draft, team.key)).body;
    expect(data.space_id).toBe(team.space.id);
    await note('of somebody else');
    const made = await call('POST', '/notes/create', { content: 'x', ...space }, team.key);
    await deliver();
    expect(receiver.received.map(({ body }) => body.data)).toEqual([{ id: made.body.data.id, ...space }]);
    expect((await call('GET', `/webhooks/${data.id}`)).status).toBe(404);
    const heard = { ...draft, events: ['transcription.created'] };
    expect((await call('POST', '/webhooks', heard, team.key)).status).toBe(403);
  });

  test('a key needs the scope of what it is told; ten webhooks are the most', async () => {
    const writer = await steno.person({ scopes: ['notes:read', 'notes:write'] });
    const draft = (events: string[]) => ({ url: receiver.url, events });
    const refused = await call('POST', '/webhooks', draft(['recording.done']), writer.key);
    expect([refused.status, refused.body.error.message]).toEqual([
      403,
      'This key lacks the scope transcriptions:read; recording.done needs it.',
    ]);
    for (let count = 0; count < 10; count += 1)
      expect((await call('POST', '/webhooks', draft(['note.created']), writer.key)).status).toBe(201);
    expect((await call('POST', '/webhooks', draft(['note.created']), writer.key)).body.error.code).toBe(
      'limit_reached',
    );
  });

  test('a webhook is paused with the key that made it, and goes on when somebody else says so', async () => {
    const dying = await issue({ name: 'dying' });
    const draft = { url: receiver.url, events: ['note.created'] };
    const { id } = (await call('POST', '/webhooks', draft, dying.key)).body.data;
    const rotated = await steno.keys.rotate(operator, personalKeysOf(userId), dying.id, 0);
    const first = await note();
    await deliver();
    // Rotation changes the secret of the key; it is the same key.
    expect(told()).toEqual([['note.created', first.id]]);
    await steno.keys.revoke(operator, personalKeysOf(userId), dying.id);
    const second = await note();
    await deliver();
    expect(receiver.received).toHaveLength(1);
    const paused = { status: 'paused', pause_reason: 'Its key was revoked or has expired.' };
    expect(await shown(id)).toMatchObject(paused);
    expect(logged()).toContain(id);
    expect((await call('PATCH', `/webhooks/${id}`, { status: 'active' }, rotated.key)).status).toBe(401);
    await call('PATCH', `/webhooks/${id}`, { status: 'active' });
    await deliver();
    expect(told()[1]).toEqual(['note.created', second.id]);
    expect(await shown(id)).toMatchObject({ status: 'active', pause_reason: null });
  });

  test('a webhook is paused when its key expires, and belongs to the key that changed it last', async () => {
    const short = await issue({ name: 'short', expires_in_days: 1 });
    const draft = { url: receiver.url, events: ['note.created'] };
    const [mine, given] = [
      (await call('POST', '/webhooks', draft, short.key)).body.data,
      (await call('POST', '/webhooks', { ...draft, url: `${receiver.url}2` }, short.key)).body.data,
    ];
    await call('PATCH', `/webhooks/${given.id}`, { events: ['note.created', 'note.deleted'] });
    clock.advance(24 * hour);
    await note();
    await deliver();
    expect(receiver.received).toHaveLength(1);
    expect((await shown(mine.id)).status).toBe('paused');
    expect((await shown(given.id)).status).toBe('active');
    await steno.act(
      async (context) => change(context, await own(context, mine.id), { status: 'active', key_id: null }),
      { locks: true },
    );
    await deliver();
    expect(receiver.received).toHaveLength(2);
  });

  test('a webhook that was made in the console depends on no key and no session', async () => {
    const { cookie } = await steno.signIn({ id: userId });
    const draft = { url: receiver.url, events: ['note.created'] };
    const made = await steno.call('POST', '/webhooks', { body: draft, headers: { cookie } });
    expect(made.status).toBe(201);
    await note();
    await steno.call('POST', '/api/auth/sign-out', { headers: { cookie } });
    await steno.keys.revoke(operator, personalKeysOf(userId), keyId);
    await deliver();
    expect(receiver.received).toHaveLength(1);
  });

  test('a webhook of a space tells nothing more once the member who made it has left', async () => {
    const { space, workspace, key: adminsKey } = await steno.team();
    await steno.members.add(operator, workspace.id, { user_id: userId, role: 'member' });
    const { cookie } = await steno.signIn({ id: userId });
    const draft = { url: receiver.url, events: ['note.created'], space_id: space.id };
    const noteInSpace = () => call('POST', '/notes/create', { content: 'x', space_id: space.id }, adminsKey);
    const made = await steno.call('POST', '/webhooks', { body: draft, headers: { cookie } });
    expect(made.status).toBe(201);
    const { id } = made.body.data;
    await noteInSpace();
    await deliver();
    expect(receiver.received).toHaveLength(1);
    await steno.members.remove(operator, workspace.id, userId, { revokeKeys: false });
    await noteInSpace();
    await deliver();
    expect(receiver.received).toHaveLength(1);
    // Those who stay see why, and may take it over.
    const { data } = (await call('GET', `/webhooks/${id}`, undefined, adminsKey)).body;
    const pause_reason = 'The member who made it has left the workspace.';
    expect(data).toMatchObject({ status: 'paused', pause_reason });
    await call('PATCH', `/webhooks/${id}`, { status: 'active' }, adminsKey);
    await deliver();
    expect(receiver.received).toHaveLength(2);
  });

  test('an account that is deleted takes its webhooks along', async () => {
    await create();
    await note();
    await steno.users.remove(userId);
    await deliver();
    expect(receiver.received).toEqual([]);
    const left = await steno.database.db
      .selectFrom('webhooks')
      .select('id')
      .where('owner_id', '=', userId)
      .execute();
    expect(left).toEqual([]);
  });

  test('a restored backup loses nothing that waits', async () => {
    await create();
    const [first, second] = [await note(), await note()];
    await steno.store.changes.startOver({ always: true });
    const third = await note();
    await deliver();
    expect(told().map(([, id]) => id)).toEqual([first.id, second.id, third.id]);
  });

  test('every event arrives once and in order, though the receiver fails a third of the time', {
    tags: 'slow',
  }, async () => {
    // The whole run is STENO_TEST_WEBHOOK_EVENTS=10000, which takes minutes.
    const events = Number(process.env.STENO_TEST_WEBHOOK_EVENTS || 300);
    const { made, accepted, failed } = await runWebhook(steno, clock, { events, seed: 14 });
    expect(accepted).toEqual(made);
    expect([accepted.length, failed > events / 4]).toEqual([events, true]);
  });
});
