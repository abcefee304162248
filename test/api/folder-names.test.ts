import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { anyDatabase, startSteno, type TestSteno } from '../support/steno.ts';

describe.each(anyDatabase)('folder names on %s', (databaseKind) => {
  let steno: TestSteno;
  beforeAll(async () => {
    steno = await startSteno({ databaseKind });
  });
  afterAll(() => steno.close());

  const create = (key: string, name: string) =>
    steno.call('POST', '/folders/create', { key, body: { name } });

  test.each([
    ['Straße', ' STRASSE '],
    ['Büro', 'bu\u0308ro'],
    ['ＡＰＩ', 'api'],
    ['Work', 'wo\u200Brk'],
  ])('%s and %s are one name: the second is 409', async (first, second) => {
    const { key } = await steno.person();
    expect((await create(key, first)).status).toBe(201);
    expect((await create(key, second)).status).toBe(409);
  });

  test('parallel creates of one name: one is stored, the others are 409', async () => {
    const { key } = await steno.person();
    const answers = await Promise.all(
      ['Work', 'WORK', 'work', 'wOrk', 'woRk'].map((name) => create(key, name)),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([201, 409, 409, 409, 409]);
  });

  test.each(['\u200B', 'two\nlines', 'turned\u202Earound', 'a'.repeat(101), '🎤'.repeat(101)])(
    'refuses %j',
    async (name) => {
      const { key } = await steno.person();
      const { status, body } = await create(key, name);
      expect([status, body.error.code]).toEqual([400, 'validation_error']);
      expect((await steno.call('GET', '/folders/list', { key })).body.data).toEqual([]);
    },
  );

  test('100 characters fit, however they are stored', async () => {
    const { key } = await steno.person();
    expect((await create(key, '🎤'.repeat(100))).status).toBe(201);
    expect((await create(key, 'ﷺ'.repeat(100))).status).toBe(201);
  });
});
