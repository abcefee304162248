import { afterAll, beforeAll, expect, test } from 'vitest';
import { beginFirstSteps } from '../../src/features/first-steps/operations.ts';
import type { StreamContext } from '../../src/kernel/context.ts';
import type { Operation } from '../../src/kernel/operation.ts';
import { act } from '../../src/kernel/run.ts';
import { newUuid } from '../../src/lib/uuid.ts';
import type { AudioStore } from '../../src/platform/audio-store/audio-store.ts';
import { testParts } from '../support/parts.ts';
import { principalOf } from '../support/principal.ts';
import { insertPerson } from '../support/rows.ts';
import { openStore, type TestStore } from '../support/store.ts';

let steno: TestStore;
beforeAll(async () => {
  steno = await openStore('sqlite');
});
afterAll(() => steno.close());

/** Somebody new; `isFirst` is whether no other page of theirs was quicker. */
async function newcomer({ isFirst = true, isNew = true, keepAudio = true, isOn = true }) {
  const { id } = await insertPerson(steno.store);
  const setState = (first_steps: 'new' | 'shown') =>
    steno.database.write((tx) => tx.updateTable('users').set({ first_steps }).where('id', '=', id).execute());
  await setState(isNew ? 'new' : 'shown');
  const files = new Set<string>();
  const audio: Pick<AudioStore, 'append' | 'remove'> = {
    async append(id, _from, chunks) {
      for await (const _ of chunks) files.add(id);
      if (!isFirst) await setState('shown');
    },
    async remove(id) {
      files.delete(id);
    },
  };
  const parts = testParts(steno.database);
  const config = {
    ...parts.config,
    firstSteps: isOn,
    recordings: { ...parts.config.recordings, keepAudio },
  };
  const context = {
    ...steno.look(),
    who: principalOf(id),
    newId: newUuid,
    parts: { ...parts, config, audioStore: async () => audio as AudioStore },
  };
  const acting: Pick<StreamContext, 'act'> = { act: (work) => act(context, {}, work) };
  return {
    // It uses nothing of the wire.
    begin: () =>
      beginFirstSteps.run({ ...context, ...acting } as unknown as Parameters<Operation['run']>[0], {}),
    files,
    samples: () =>
      steno.database.db
        .selectFrom('recordings')
        .select(['id', 'has_audio', 'keep_audio'])
        .where('user_id', '=', id)
        .execute(),
  };
}

test('the sample has its audio, and says so', async () => {
  const { begin, files, samples } = await newcomer({});
  expect(await begin()).toMatchObject({ shown: true });
  const [sample] = await samples();
  expect(sample).toMatchObject({ has_audio: 1, keep_audio: 1 });
  expect([...files]).toEqual([sample?.id]);
});

test('two pages at once leave one sample, and no audio of the other', async () => {
  const { begin, files } = await newcomer({ isFirst: false });
  await begin();
  expect(files.size).toBe(0);
});

test('where no audio is kept, the sample has none', async () => {
  const { begin, files, samples } = await newcomer({ keepAudio: false });
  await begin();
  expect(files.size).toBe(0);
  expect((await samples())[0]).toMatchObject({ has_audio: 0, keep_audio: 0 });
});

test.each([
  ['somebody who has notes', { isNew: false }, true],
  ['a server whose operator does not want them', { isOn: false }, false],
])('%s gets no sample', async (_, who, shown) => {
  const { begin, files, samples } = await newcomer(who);
  expect(await begin()).toMatchObject({ shown });
  expect([files.size, (await samples()).length]).toEqual([0, 0]);
});
