import { Webhook } from 'standardwebhooks';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { AuditEvent } from '../../src/domain/audit.ts';
import { operator } from '../../src/domain/principal.ts';
import { forgetOldAudit } from '../../src/features/housekeeping.ts';
import { newUuid } from '../../src/lib/uuid.ts';
import { stoppedClock } from '../support/clock.ts';
import { allCommitted } from '../support/horizon.ts';
import { startReceiver } from '../support/receiver.ts';
import { databaseKinds, startSteno, type TestSteno } from '../support/steno.ts';

const start = Date.parse('2036-05-01T12:00:00.000Z');
const day = 86_400_000;
const events = ['audit.recorded'];

describe.each(databaseKinds)('webhooks that hear the audit log, on %s', (databaseKind) => {
  const clock = stoppedClock(start);
  let steno: TestSteno;
  let runner: { id: string; token: string };
  let status: number;
  let receiver: Awaited<ReturnType<typeof startReceiver>>;
  beforeAll(async () => {
    const config = { webhookNetworks: ['127.0.0.1'] };
    steno = await startSteno({ databaseKind, clock, webhookPollMs: 2 ** 31 - 1, config });
  });
  beforeEach(async () => {
    // Everybody else's webhooks are gone, so that a receiver hears of one.
    await steno.database.write((trx) => trx.deleteFrom('webhooks').execute());
    const { user } = await steno.person({ name: 'Root' });
    await steno.users.setOperator(user.id, true);
    runner = { id: user.id, token: (await steno.signIn(user)).token };
    status = 204;
    receiver = await startReceiver(() => status);
  });
  afterEach(() => receiver.close());
  afterAll(() => steno.close());

  const call = (method: string, path: string, key: string, body?: object) =>
    steno.call(method, path, { key, ...(body && { body }) });
  const deliver = async () => {
    await allCommitted(steno.database);
    await steno.delivery.settle();
  };
  /** That it was made is the first event, and is not in `received` any more. */
  const hook = async (key: string, draft: object) => {
    await allCommitted(steno.database);
    const made = await call('POST', '/webhooks', key, { url: receiver.url, events, ...draft });
    if (made.status !== 201) return made;
    await deliver();
    expect(receiver.received.splice(0).map(({ body }) => body.data.act)).toEqual(['webhook.created']);
    return made;
  };
  const told = () => receiver.received.map(({ body }) => body.data.act);
  const shown = async (id: string, key: string) => (await call('GET', `/webhooks/${id}`, key)).body.data;
  async function team(name: string) {
    const made = await steno.team({ name });
    const { token } = await steno.signIn(made.user);
    return { ...made, token, place: { workspace_id: made.workspace.id } };
  }
  const policy = (of: { workspace: { id: string }; token: string }, on: boolean) =>
    call('PATCH', `/api/workspaces/${of.workspace.id}/policy`, of.token, { block_language_models: on });

  test('an admin hears of their workspace and of no other, in order, signed, as the list shows it', async () => {
    const [red, blue] = [await team('Red'), await team('Blue')];
    const made = await hook(red.token, red.place);
    expect(made.status).toBe(201);
    expect(made.body.data).toMatchObject({ workspace_id: red.workspace.id, space_id: null, events });
    await policy(red, true);
    await policy(blue, true);
    await call('POST', `/api/workspaces/${red.workspace.id}/invitations`, red.token, {
      email: 'x@example.org',
    });
    await call('POST', '/notes/create', red.token, { content: 'private words' });
    await deliver();
    expect(told()).toEqual(['policy.changed', 'member.invited']);
    const list = await call('GET', `/api/workspaces/${red.workspace.id}/audit?limit=2`, red.token);
    expect(receiver.received.map(({ body }) => body.data)).toEqual(list.body.data.toReversed());
    for (const { headers, text, body } of receiver.received) {
      expect(body).toMatchObject({ type: 'audit.recorded', timestamp: body.data.created_at });
      expect(text).not.toContain('private words');
      expect(headers['webhook-signature']).toBe(
        new Webhook(made.body.data.secret).sign(headers['webhook-id'] ?? '', new Date(clock()), text),
      );
    }
    await deliver();
    expect(receiver.received).toHaveLength(2);
    // Blue's admin cannot reach it in any way, and sees none in a list.
    const path = `/webhooks/${made.body.data.id}`;
    const tries = [
      ['GET', path],
      ['PATCH', path, { status: 'paused' }],
      ['DELETE', path],
      ['POST', `${path}/test`],
      ['POST', `${path}/rotate`],
      ['GET', `${path}/deliveries`],
      ['POST', `${path}/deliveries/${receiver.received[0]?.headers['webhook-id']}/redeliver`],
      ['GET', `/webhooks?workspace_id=${red.workspace.id}`],
    ] as const;
    for (const [method, url, body] of tries)
      expect([url, (await call(method, url, blue.token, body)).status]).toEqual([url, 404]);
    expect((await call('GET', '/webhooks', red.token)).body.data).toEqual([]);
    const own = await call('GET', `/webhooks?workspace_id=${red.workspace.id}`, red.token);
    expect(own.body.data.map(({ id }: { id: string }) => id)).toEqual([made.body.data.id]);
  });

  test('an operator hears of the whole server; a delivery is no act, so nothing goes round', async () => {
    const made = await hook(runner.token, { server: true });
    expect(made.body.data).toMatchObject({ workspace_id: null, space_id: null });
    const red = await team('Red');
    await policy(red, true);
    await deliver();
    expect(told()).toEqual(expect.arrayContaining(['account.created', 'sign_in', 'policy.changed']));
    const before = receiver.received.length;
    await call('POST', `/webhooks/${made.body.data.id}/test`, runner.token);
    await deliver();
    await deliver();
    expect(receiver.received.slice(before).map(({ body }) => body.type)).toEqual(['webhook.test']);
    expect((await call('GET', '/webhooks?server=true', runner.token)).body.data).toHaveLength(1);
    expect((await call('GET', '/webhooks?server=true', red.token)).status).toBe(403);
    expect((await call('GET', `/webhooks/${made.body.data.id}`, red.token)).status).toBe(404);
    // The operator is no member of Red: what is Red's own is Red's.
    expect((await hook(runner.token, red.place)).status).toBe(404);
  });

  test('only sessions of admins and operators make one, for one log, with this event alone', async () => {
    const red = await team('Red');
    const { user, key } = await steno.person({ name: 'Mem' });
    await steno.members.add(operator, red.workspace.id, { user_id: user.id, role: 'member' });
    const member = (await steno.signIn(user)).token;
    const statuses = async (tokens: string[], draft: object) =>
      Promise.all(tokens.map(async (token) => (await hook(token, draft)).status));
    expect(await statuses([member, key, red.key], red.place)).toEqual([403, 403, 403]);
    expect(await statuses([member, key, red.key, red.token], { server: true })).toEqual([403, 403, 403, 403]);
    expect((await call('GET', `/webhooks?workspace_id=${red.workspace.id}`, member)).status).toBe(403);
    const why = async (draft: object) => {
      const { status, body } = await hook(red.token, draft);
      return [status, body.error.message];
    };
    expect(await why({})).toEqual([400, 'events with audit.recorded need workspace_id or server.']);
    expect(await why({ ...red.place, events: ['audit.recorded', 'note.created'] })).toEqual([
      400,
      'events must not have audit.recorded together with others; make a webhook of its own for it.',
    ]);
    expect(await why({ ...red.place, events: ['note.created'] })).toEqual([
      400,
      'events must be audit.recorded for a workspace or the server.',
    ]);
    expect(await why({ ...red.place, space_id: red.space.id })).toEqual([
      400,
      'Only one of space_id, workspace_id and server can be given.',
    ]);
    const { id } = (await hook(red.token, red.place)).body.data;
    const change = (body: object, of = id) => call('PATCH', `/webhooks/${of}`, red.token, body);
    expect((await change({ events: ['note.created'] })).status).toBe(400);
    const own = await call('POST', '/webhooks', red.token, { url: receiver.url, events: ['note.created'] });
    expect((await change({ events }, own.body.data.id)).status).toBe(400);
    expect((await call('GET', `/webhooks/${id}`, red.key)).status).toBe(404);
    expect((await change({ status: 'active' })).status).toBe(200);
  });

  test('an app password, also of an admin who is an operator, neither makes nor reaches one', async () => {
    const red = await team('Red');
    await steno.users.setOperator(red.user.id, true);
    await steno.users.setEmail(red.user.id, 'red@example.org');
    const { id } = (await hook(red.token, red.place)).body.data;
    const { password } = (await call('POST', '/api/app-passwords', red.token, { name: 'Phone' })).body.data;
    const body = { email: 'red@example.org', password };
    const { token } = (await steno.call('POST', '/api/auth/sign-in/email', { body })).body;
    for (const draft of [red.place, { server: true }]) expect((await hook(token, draft)).status).toBe(403);
    expect((await call('GET', `/webhooks/${id}`, token)).status).toBe(404);
    await steno.users.setEmail(red.user.id, `was-${red.user.id}@example.org`);
  });

  test('it pauses when its maker is no admin any more, and goes on when another admin takes it', async () => {
    const red = await team('Red');
    const { user: second } = await steno.person({ name: 'Second' });
    await steno.members.add(operator, red.workspace.id, { user_id: second.id, role: 'admin' });
    const other = (await steno.signIn(second)).token;
    const { id } = (await hook(red.token, red.place)).body.data;
    await call('PATCH', `/api/workspaces/${red.workspace.id}/members/${red.user.id}`, other, {
      role: 'member',
    });
    await deliver();
    expect(told()).toEqual([]);
    expect(await shown(id, other)).toMatchObject({
      status: 'paused',
      pause_reason: 'The person who made it may no longer read this audit log.',
    });
    expect((await call('GET', `/webhooks/${id}`, red.token)).status).toBe(404);
    expect((await call('PATCH', `/webhooks/${id}`, red.token, { status: 'active' })).status).toBe(404);
    await call('PATCH', `/webhooks/${id}`, other, { status: 'active' });
    await deliver();
    expect(told()).toEqual(['member.changed', 'webhook.changed']);
  });

  test('a request that is sent again answers the same, but not to somebody who is no admin any more', async () => {
    const red = await team('Red');
    const { user: second } = await steno.person({ name: 'Second' });
    await steno.members.add(operator, red.workspace.id, { user_id: second.id, role: 'admin' });
    const ask = (path: string, body: object) =>
      steno.call('POST', path, { key: red.token, body, headers: { 'idempotency-key': `once ${path}` } });
    const draft = { url: receiver.url, events, ...red.place };
    const made = await ask('/webhooks', draft);
    expect(made.status).toBe(201);
    expect((await ask('/webhooks', draft)).text).toBe(made.text);
    const rotate = `/webhooks/${made.body.data.id}/rotate`;
    const rotated = await ask(rotate, { grace_hours: 1 });
    expect(rotated.status).toBe(200);
    await steno.members.update(operator, red.workspace.id, red.user.id, { role: 'member' });
    for (const again of [await ask('/webhooks', draft), await ask(rotate, { grace_hours: 1 })]) {
      expect(again.status).toBeGreaterThanOrEqual(400);
      expect(again.text).not.toContain('whsec_');
    }
  });

  test('also in the middle of a turn nothing goes to a maker who lost the right', async () => {
    const { id } = (await hook(runner.token, { server: true })).body.data;
    const red = await team('Red');
    await policy(red, true);
    const take = steno.parts.webhooks.turns.audited;
    let asked = 0;
    steno.parts.webhooks.turns.audited = async (...given) => {
      asked += 1;
      if (asked === 2) await steno.users.setOperator(runner.id, false);
      return take(...given);
    };
    try {
      await deliver();
    } finally {
      steno.parts.webhooks.turns.audited = take;
    }
    expect(receiver.received).toHaveLength(1);
    await steno.users.setOperator(runner.id, true);
    expect((await shown(id, runner.token)).status).toBe('paused');
  });

  test('while its maker is suspended it waits, and so does one of notes; then what was missed comes', async () => {
    const red = await team('Red');
    await hook(red.token, red.place);
    await call('POST', '/webhooks', red.token, { url: receiver.url, events: ['note.created'] });
    await policy(red, true);
    await call('POST', '/notes/create', red.token, { content: 'x' });
    await steno.store.people.setSuspended(red.user.id, new Date(clock()).toISOString());
    await deliver();
    expect(receiver.received).toEqual([]);
    await steno.store.people.setSuspended(red.user.id, null);
    await deliver();
    expect(receiver.received.map(({ body }) => body.type).sort()).toEqual(['audit.recorded', 'note.created']);
  });

  test('a failed event comes again with the same id, and can be sent once more by hand', async () => {
    const red = await team('Red');
    const { id } = (await hook(red.token, red.place)).body.data;
    status = 500;
    await policy(red, true);
    await policy(red, false);
    await deliver();
    expect(receiver.received).toHaveLength(1);
    status = 204;
    clock.advance(60_000);
    await deliver();
    const [first, again, next] = receiver.received;
    expect(again?.headers['webhook-id']).toBe(first?.headers['webhook-id']);
    expect(again?.text).toBe(first?.text);
    expect(next?.body.data.detail).toBe('block_language_models: false');
    const path = `/webhooks/${id}/deliveries`;
    const sent = (await call('GET', path, red.token)).body.data;
    expect(sent.map(({ event }: { event: string }) => event)).toEqual(Array(3).fill('audit.recorded'));
    const message = first?.headers['webhook-id'];
    expect((await call('POST', `${path}/${message}/redeliver`, red.token)).status).toBe(200);
    expect(receiver.received.at(-1)?.text).toBe(first?.text);
  });

  test.runIf(databaseKind === 'postgres')(
    'an act that commits late is told in its place, and nothing overtakes it',
    async () => {
      await hook(runner.token, { server: true });
      const { promise: isOver, resolve: end } = Promise.withResolvers<void>();
      const { promise: isBegun, resolve: begin } = Promise.withResolvers<void>();
      const at = new Date(clock()).toISOString();
      const late = steno.database.db.transaction().execute(async (trx) => {
        const event = { id: newUuid(), created_at: at, act: 'export.made', subject_name: 'late' } as const;
        await trx.insertInto('audit_events').values(event).execute();
        begin();
        await isOver;
      });
      await isBegun;
      await steno.store.audit.record({ act: 'import.made', subject_name: 'early' });
      await steno.delivery.settle();
      expect(receiver.received).toEqual([]);
      end();
      await late;
      await deliver();
      expect(told()).toEqual(['export.made', 'import.made']);
    },
  );

  test('refused sign-ins are told once, when they are first counted', async () => {
    await hook(runner.token, { server: true });
    const refused = {
      act: 'sign_in.refused',
      address: '198.51.100.7',
      hour: '2036-05-01T11:00:00.000Z',
    } as const;
    await steno.store.audit.addRefusals([{ ...refused, times: 2 }], 10);
    await steno.store.audit.addRefusals([{ ...refused, times: 3 }], 10);
    await deliver();
    expect(receiver.received.map(({ body }) => [body.data.act, body.data.times])).toEqual([
      ['sign_in.refused', 5],
    ]);
    await steno.store.audit.addRefusals([{ ...refused, times: 1 }], 10);
    await deliver();
    expect(receiver.received).toHaveLength(1);
  });

  test('a workspace takes its webhook along', async () => {
    const { user } = await steno.person({ name: 'Solo' });
    const { token } = await steno.signIn(user);
    const workspace = (await call('POST', '/api/workspaces', token, { name: 'Alone' })).body.data;
    const { id } = (await hook(token, { workspace_id: workspace.id })).body.data;
    expect((await call('DELETE', '/api/account', token, { confirm: 'Solo' })).status).toBe(204);
    const rows = await steno.database.db.selectFrom('webhooks').select('id').where('id', '=', id).execute();
    expect(rows).toEqual([]);
    const left = steno.database.db.selectFrom('changes').select('seq').where('owner_id', '=', workspace.id);
    expect(await left.execute()).toEqual([]);
  });

  test('what the log no longer keeps is left out, and what came after it is sent', async () => {
    const red = await team('Red');
    const { id } = (await hook(red.token, red.place)).body.data;
    await policy(red, true);
    clock.advance(366 * day);
    const { token } = await steno.signIn(red.user);
    await call('PATCH', `/api/workspaces/${red.workspace.id}/policy`, token, {
      block_language_models: false,
    });
    await forgetOldAudit(steno.actor);
    await deliver();
    expect(receiver.received.map(({ body }) => (body.data as AuditEvent).detail)).toEqual([
      'block_language_models: false',
    ]);
    clock.advance(366 * day);
    await forgetOldAudit(steno.actor);
    const again = (await steno.signIn(red.user)).token;
    const [sent] = (await call('GET', `/webhooks/${id}/deliveries`, again)).body.data;
    const answer = await call('POST', `/webhooks/${id}/deliveries/${sent.id}/redeliver`, again);
    expect([answer.status, answer.body.error.message]).toEqual([404, 'Audit event not found']);
  });
});
