import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { databaseKinds, startSteno, type TestSteno } from '../support/steno.ts';

interface Listed {
  id: string;
  created_at: string;
}

const start = Date.UTC(2026, 4, 1, 12);
const minuteMs = 60_000;
const cursorOf = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const someId = '0198c0de-0000-7000-8000-000000000000';

describe.each(databaseKinds)('pages of notes on %s', (databaseKind) => {
  let steno: TestSteno;
  let key: string;
  let now = start;
  beforeAll(async () => {
    steno = await startSteno({ databaseKind, clock: () => now });
  });
  beforeEach(async () => {
    ({ key } = await steno.person());
  });
  afterAll(() => steno.close());

  const page = (query: string) => steno.call('GET', `/notes/list?${query}`, { key });
  const create = async (): Promise<Listed> =>
    (await steno.call('POST', '/notes/create', { key, body: { content: 'x' } })).body.data;
  const newestFirst = (notes: Listed[]) =>
    notes.toSorted((one, other) => (one.created_at + one.id < other.created_at + other.id ? 1 : -1));

  async function allPages(limit: number): Promise<string[]> {
    const ids: string[] = [];
    const seen = new Set<string>();
    for (let cursor = ''; ; ) {
      const { body } = await page(`limit=${limit}${cursor}`);
      ids.push(...body.data.map((note: Listed) => note.id));
      expect(body.data.length).toBeLessThanOrEqual(limit);
      expect(body.has_more).toBe(body.next_cursor !== null);
      if (!body.has_more) return ids;
      expect(body.data).toHaveLength(limit);
      expect(seen.has(body.next_cursor)).toBe(false);
      seen.add(body.next_cursor);
      cursor = `&cursor=${body.next_cursor}`;
    }
  }

  test('notes of the very same millisecond are neither lost nor repeated, at any page size', async () => {
    const notes: Listed[] = [];
    for (let index = 0; index < 12; index += 1) {
      if (index % 6 === 0) now += 1;
      notes.push(await create());
    }
    const expected = newestFirst(notes).map(({ id }) => id);
    for (const limit of [1, 5, 6, 11, 12, 13, 100]) expect(await allPages(limit)).toEqual(expected);
  });

  test('without a limit a page has 50', async () => {
    for (let index = 0; index < 51; index += 1) await create();
    const { body } = await page('');
    expect([body.data.length, body.has_more]).toEqual([50, true]);
    expect((await page(`cursor=${body.next_cursor}`)).body).toMatchObject({
      has_more: false,
      next_cursor: null,
    });
    expect((await page('limit=51')).body).toMatchObject({ has_more: false, next_cursor: null });
  });

  test.each([
    '0',
    '-1',
    '101',
    '1.5',
    'abc',
    '',
    '%20',
    '1e1',
    '0x10',
    '5&limit=6',
    '1%00',
    '999999999999999999999',
  ])('limit=%s is refused', async (limit) => {
    const answer = await page(`limit=${limit}`);
    expect([answer.status, answer.body.error.code]).toEqual([400, 'validation_error']);
  });

  test.each([
    ['nothing', ''],
    ['a word', 'abc'],
    ['not base64url', '%C3%A9%3D%3D'],
    ['JSON of another kind', cursorOf({ at: 1 })],
    ['a list of one', cursorOf(['notes', '2026-01-01T00:00:00.000Z'])],
    ['numbers', cursorOf(['notes', 1, 2])],
    ['another list', cursorOf(['snippets', '2026-01-01T00:00:00.000Z', someId])],
    ['no instant', cursorOf(['notes', 'yesterday', someId])],
    ['an instant of another form', cursorOf(['notes', '2026-01-01T00:00Z', someId])],
    ['an id that is none', cursorOf(['notes', '2026-01-01T00:00:00.000Z', 'x'])],
    ['U+0000 in the id', cursorOf(['notes', '2026-01-01T00:00:00.000Z', '\0'])],
    ['a lone surrogate', cursorOf(['notes', '2026-01-01T00:00:00.000Z', '\ud800'])],
    ['a day without a time', '2026-01-01'],
    ['a month that is none', '2026-13-01T00:00:00Z'],
    ['a time without a zone', '2026-01-01T00:00:00'],
    ['a very long one', 'A'.repeat(5_000)],
  ])('a cursor of %s is refused', async (_name, cursor) => {
    const answer = await page(`cursor=${cursor}`);
    expect([answer.status, answer.body.error.code]).toEqual([400, 'validation_error']);
    expect(answer.body.error.message).toContain('cursor');
  });

  test('a bare timestamp gives what is older, in every form of ISO 8601 with a zone', async () => {
    now += minuteMs;
    const older = await create();
    now += 1_000;
    const newer = await create();
    const at = new Date(now).toISOString();
    const inParis = `${new Date(now + 120 * minuteMs).toISOString().slice(0, -1)}+02:00`;
    const ids = async (cursor: string) =>
      (await page(`cursor=${encodeURIComponent(cursor)}`)).body.data.map(({ id }: Listed) => id);
    expect(await ids(at)).toEqual([older.id]);
    expect(await ids(inParis)).toEqual([older.id]);
    expect(await ids(at.replace('.000Z', 'Z'))).toEqual([older.id]);
    expect(await ids(new Date(now + 1).toISOString())).toEqual([newer.id, older.id]);
    expect(await ids(older.created_at)).toEqual([]);
  });

  const change = fc.record({
    make: fc.nat(3),
    wait: fc.nat(2),
    remove: fc.array(fc.nat(40), { maxLength: 3 }),
  });

  test('whatever is made and deleted between two pages, what stays is seen exactly once', async () => {
    const property = fc.asyncProperty(
      fc.integer({ min: 1, max: 4 }),
      fc.array(change, { minLength: 4, maxLength: 8 }),
      async (limit, changes) => {
        // A key of its own, and a fresh minute: forty calls of each run stay within the rate limit.
        ({ key } = await steno.person());
        now += minuteMs;
        const alive = new Map<string, Listed>();
        for (let index = 0; index < 10; index += 1) {
          now += index % 3;
          const note = await create();
          alive.set(note.id, note);
        }
        const atStart = new Set(alive.keys());
        const seen: string[] = [];
        let cursor = '';
        for (let step = 0; cursor !== undefined; step += 1) {
          const { body } = await page(`limit=${limit}${cursor}`);
          // The page is what a model says: the next `limit` of those alive now that are older than the last one seen.
          const last = seen.at(-1) ?? '';
          const rest = newestFirst([...alive.values()]).filter(
            (note) => last === '' || note.created_at + note.id < last,
          );
          const shown: Listed[] = body.data;
          expect(shown.map(({ id }) => id)).toEqual(rest.slice(0, limit).map(({ id }) => id));
          expect(body.has_more).toBe(rest.length > limit);
          seen.push(...shown.map((note) => note.created_at + note.id));
          if (body.next_cursor === null) break;
          cursor = `&cursor=${body.next_cursor}`;
          const { make, wait, remove } = changes[step] ?? { make: 0, wait: 0, remove: [] };
          now += wait;
          for (let index = 0; index < make; index += 1) {
            const note = await create();
            alive.set(note.id, note);
          }
          for (const at of remove) {
            const id = [...alive.keys()][at];
            if (id === undefined) continue;
            await steno.call('DELETE', `/notes/${id}`, { key });
            alive.delete(id);
          }
        }
        const seenIds = seen.map((entry) => entry.slice(24));
        expect(new Set(seenIds).size).toBe(seenIds.length);
        for (const id of atStart) if (alive.has(id)) expect(seenIds).toContain(id);
      },
    );
    await fc.assert(property, { numRuns: 8 });
  });
});
