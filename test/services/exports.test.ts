import { afterAll, beforeAll, expect, test } from 'vitest';
import { audioPath } from '../../src/domain/export.ts';
import { personalScopes } from '../../src/domain/scopes.ts';
import { createExports } from '../../src/features/export/exports.ts';
import { newUuid } from '../../src/lib/uuid.ts';
import type { AudioStore } from '../../src/platform/audio-store/audio-store.ts';
import { noteRecord, recordingRecord } from '../support/exports.ts';
import { principalOf } from '../support/principal.ts';
import { startSteno, type TestSteno } from '../support/steno.ts';
import type { Store } from '../support/stored-notes.ts';

let steno: TestSteno;
beforeAll(async () => {
  steno = await startSteno();
});
afterAll(() => steno.close());

test('one export per person and fifty in all; whoever ends gives the place back', async () => {
  const { exports } = steno;
  const people = Array.from({ length: 50 }, () => newUuid());
  const zips = await Promise.all(people.map((id) => exports.of(principalOf(id), {})));
  await expect(exports.of(principalOf(people[0] ?? ''), {})).rejects.toMatchObject({
    code: 'concurrency_limit',
  });
  const late = principalOf(newUuid());
  await expect(exports.of(late, {})).rejects.toMatchObject({
    code: 'service_unavailable',
    retryAfterSeconds: 60,
  });
  const [first, ...others] = zips;
  const closed = new Promise((resolve) => first?.once('close', resolve));
  first?.destroy();
  await closed;
  others.push(await exports.of(late, {}));
  for (const zip of others) zip.destroy();
});

/** Exports of this database with some of its rows made up. */
const exportsOf = (changes: Partial<Store>, audioStore?: Pick<AudioStore, 'open'>) =>
  createExports({
    database: steno.database,
    store: { ...steno.store, ...changes },
    audioStore: async () => audioStore as AudioStore,
    clock: () => 0,
  });

test('an export that cannot be told to the audit log takes no place', async () => {
  const { audit } = steno.store;
  let isBroken = true;
  const exports = exportsOf({
    audit: {
      ...audit,
      async record(act) {
        if (isBroken) throw new Error('disk full');
        return audit.record(act);
      },
    },
  });
  const ada = principalOf(newUuid());
  await expect(exports.of(ada, {})).rejects.toThrow('disk full');
  isBroken = false;
  const zip = await exports.of(ada, {});
  const closed = new Promise((resolve) => zip.once('close', resolve));
  zip.destroy();
  await closed;
});

test.each([
  ['short notes in large pages', 10, 70, [4, 25, 25, 25]],
  ['long ones in small pages', 200_000, 5, [4, 2]],
  ['very long ones one by one', 600_000, 6, [4, 1, 1, 1]],
  ['the last page as full as it can be', 10, 29, [4, 25, 25]],
])('%s', async (_, letters, count, pages) => {
  const notes = Array.from({ length: count }, () => noteRecord({ content: 'x'.repeat(letters) }));
  const limits: number[] = [];
  const { files } = exportsOf({
    notes: {
      ...steno.store.notes,
      async listWhole(_ownerId, { limit, after }) {
        limits.push(limit);
        const from = notes.findIndex(({ id }) => id === after?.id) + 1;
        return notes.slice(from, from + limit) as never;
      },
    },
  });
  let lines = 0;
  for await (const { path, chunks } of files({ ownerId: newUuid(), scopes: [] })) {
    if (path !== 'data/notes.jsonl') continue;
    for await (const _line of chunks) lines += 1;
    break;
  }
  expect(limits).toEqual(pages);
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
  const { files } = exportsOf(
    {
      recordings: {
        ...steno.store.recordings,
        list: async (_, { after }) => (after ? [] : [there, ...others]),
      },
    },
    {
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
    },
  );
  const audio: string[] = [];
  let listed = '';
  for await (const { path, chunks, isCompressed } of files({ ownerId: newUuid(), scopes: personalScopes })) {
    for await (const chunk of chunks) if (path === 'data/recordings.jsonl') listed += chunk;
    if (isCompressed) audio.push(path);
  }
  expect(audio).toEqual([audioPath(there)]);
  expect(reads).toEqual([
    [0, 1_048_576],
    [1_048_576, 2_097_152],
    [2_097_152, bytes],
  ]);
  expect(open).toBe(0);
  expect(listed.split('\n')).toHaveLength(4);
});
