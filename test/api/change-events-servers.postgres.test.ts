import { afterAll, beforeAll, expect, test } from 'vitest';
import { compose } from '../../src/compose.ts';
import { followEvents } from '../support/follow-events.ts';
import { silentLog, startSteno, type TestSteno } from '../support/steno.ts';

/** Two servers on one database. */
let steno: TestSteno;
let other: Awaited<ReturnType<typeof compose>>;
beforeAll(async () => {
  steno = await startSteno({ databaseKind: 'postgres' });
  other = await compose(steno.config, { log: silentLog });
});
afterAll(async () => {
  await other.close();
  await steno.close();
});

test('a stream of one server tells what is written on the other, and goes on there after the last event', async () => {
  const { key, user } = await steno.person();
  const here = await followEvents(await steno.app.listen({ port: 0, host: '127.0.0.1' }), key);
  expect(await here.next()).toMatchObject({ event: 'ready' });
  const write = async (content: string) => {
    const headers = { authorization: `Bearer ${key}` };
    const body = { content, edit: { session: content, seq: 1 } };
    const answer = await other.app.inject({
      method: 'POST',
      url: '/api/v1/notes/create',
      headers,
      payload: body,
    });
    return answer.json().data.id;
  };
  const id = await write('one');
  const told = await here.next();
  expect(told?.data).toMatchObject({ id, action: 'created', revision: 1, session: 'one', by: user.id });
  here.leave();

  const second = await write('two');
  const there = await followEvents(await other.app.listen({ port: 0, host: '127.0.0.1' }), key, {
    'last-event-id': told?.id ?? '',
  });
  await there.next();
  expect((await there.next())?.data).toMatchObject({ id: second });
  there.leave();
});
