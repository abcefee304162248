import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { audioPath } from '../../src/domain/export.ts';
import type { Principal } from '../../src/domain/principal.ts';
import { noWishes } from '../../src/domain/recording.ts';
import { personalScopes } from '../../src/domain/scopes.ts';
import { filesOf, pages } from '../../src/features/export/files.ts';
import { exportEverything } from '../../src/features/export/operations.ts';
import { bounded } from '../../src/kernel/semaphore.ts';
import { newUuid } from '../../src/lib/uuid.ts';
import type { AudioStore } from '../../src/platform/audio-store/audio-store.ts';
import { noteRecord, recordingRecord } from '../support/exports.ts';
import { principalOf } from '../support/principal.ts';
import { startSteno, type TestSteno } from '../support/steno.ts';

let steno: TestSteno;
beforeAll(async () => {
  steno = await startSteno();
});
afterAll(() => steno.close());

let inPlace: ReturnType<typeof bounded>;
beforeEach(() => {
  inPlace = bounded(exportEverything.bound ?? expect.fail());
});

/** Exports as a request does; resolves to the archive that its client gets. */
async function exported(who: Principal, changes: object = {}): Promise<Readable> {
  const sent = Promise.withResolvers<Readable>();
  const reply = {
    type: () => reply,
    header: () => reply,
    async send(zip: Readable) {
      sent.resolve(zip);
      await once(zip, 'close').catch(() => {});
    },
  };
  const context = { ...steno.as(who), request: { method: 'GET' }, reply, ...changes };
  // It uses nothing else of the wire.
  const run = () => exportEverything.run(context as never, { query: {} });
  const over = inPlace(who.userId, run);
  await Promise.race([sent.promise, over]);
  return sent.promise;
}

test('one export per person and fifty in all; whoever ends gives the place back', async () => {
  const people = Array.from({ length: 50 }, () => newUuid());
  const zips = await Promise.all(people.map((id) => exported(principalOf(id))));
  await expect(exported(principalOf(people[0] ?? ''))).rejects.toMatchObject({
    code: 'concurrency_limit',
  });
  const late = principalOf(newUuid());
  await expect(exported(late)).rejects.toMatchObject({
    code: 'service_unavailable',
    retryAfterSeconds: 60,
  });
  const [first, ...others] = zips;
  const closed = new Promise((resolve) => first?.once('close', resolve));
  first?.destroy();
  await closed;
  await nextTurn();
  others.push(await exported(late));
  for (const zip of others) zip.destroy();
});

test('an export that cannot be told to the audit log takes no place', async () => {
  const ada = principalOf(newUuid());
  const act = () => Promise.reject(new Error('disk full'));
  await expect(exported(ada, { act })).rejects.toThrow('disk full');
  const zip = await exported(ada);
  const closed = new Promise((resolve) => zip.once('close', resolve));
  zip.destroy();
  await closed;
});

test('an export that nobody receives ends and makes room', async () => {
  const { user } = await steno.person();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const unread = await exported(principalOf(user.id)).finally(() => vi.advanceTimersByTime(300_000));
  vi.useRealTimers();
  const ended = await new Promise((resolve) => unread.once('error', resolve));
  expect(ended).toMatchObject({ message: 'the client takes nothing' });
  await nextTurn();
  (await exported(principalOf(user.id))).destroy();
});

test.each([
  ['short notes in large pages', 10, 70, [4, 25, 25, 25]],
  ['long ones in small pages', 200_000, 5, [4, 2]],
  ['very long ones one by one', 600_000, 6, [4, 1, 1, 1]],
  ['the last page as full as it can be', 10, 29, [4, 25, 25]],
])('%s', async (_, letters, count, expected) => {
  const notes = Array.from({ length: count }, () => noteRecord({ content: 'x'.repeat(letters) }));
  const limits: number[] = [];
  let lines = 0;
  for await (const _note of pages(async ({ limit, after }) => {
    limits.push(limit);
    const from = notes.findIndex(({ id }) => id === after?.id) + 1;
    return notes.slice(from, from + limit);
  }))
    lines += 1;
  expect(limits).toEqual(expected);
  expect(lines).toBe(count);
});

test('audio is read part by part and closed; what is gone, not kept or still on its way is left out', async () => {
  const bytes = 2_500_000;
  const there = recordingRecord({ bytes, state: 'done' });
  const others = [
    recordingRecord({ bytes, state: 'done', name: 'gone' }),
    recordingRecord({ bytes, state: 'done', has_audio: false }),
    recordingRecord({ bytes, state: 'uploading' }),
  ];
  const reads: [number, number][] = [];
  let open = 0;
  const { user } = await steno.person();
  for (const row of [there, ...others])
    await steno.store.recordings.insert(
      { ...row, ...noWishes, user_id: user.id },
      { isResumable: false, length: null },
    );
  const audio: Pick<AudioStore, 'open'> = {
    async open(id) {
      if (id !== there.id) return undefined;
      open += 1;
      return {
        size: bytes,
        async read(from, to) {
          reads.push([from, to]);
          return new Uint8Array(to - from);
        },
        async close() {
          open -= 1;
        },
      };
    },
  };
  const parts = { audioStore: async () => audio as AudioStore };
  const paths: string[] = [];
  let listed = '';
  for await (const { path, chunks, isCompressed } of filesOf(
    { ...steno.as(principalOf(user.id)), parts },
    { ownerId: user.id, scopes: personalScopes },
  )) {
    for await (const chunk of chunks) if (path === 'data/recordings.jsonl') listed += chunk;
    if (isCompressed) paths.push(path);
  }
  expect(paths).toEqual([audioPath(there)]);
  expect(reads).toEqual([
    [0, 1_048_576],
    [1_048_576, 2_097_152],
    [2_097_152, bytes],
  ]);
  expect(open).toBe(0);
  expect(listed.split('\n')).toHaveLength(4);
});
