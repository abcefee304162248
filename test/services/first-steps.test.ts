import { expect, test } from 'vitest';
import { newUuid } from '../../src/lib/uuid.ts';
import type { AudioStore } from '../../src/ports/audio-store.ts';
import type { Sample } from '../../src/ports/first-step-store.ts';
import { createFirstSteps } from '../../src/services/first-steps.ts';
import { principalOf } from '../support/principal.ts';

/** Somebody new; `isFirst` is whether no other page of theirs was quicker. */
function newcomer({ isFirst = true, isNew = true, keepAudio = true, isOn = true }) {
  const files = new Set<string>();
  const samples: Sample[] = [];
  const audio: Pick<AudioStore, 'append' | 'remove'> = {
    async append(id, _from, chunks) {
      for await (const _ of chunks) files.add(id);
    },
    async remove(id) {
      files.delete(id);
    },
  };
  const steps = { shown: true, recorded: false, wrote: false, connected: false, sample_id: null };
  const service = createFirstSteps({
    store: {
      firstSteps: {
        get: async () => ({ ...steps, isNew }),
        async begin(_userId, sample) {
          if (isFirst) samples.push(sample);
          return isFirst;
        },
        end: async () => {},
      },
    },
    clock: () => 0,
    newId: newUuid,
    audioStore: async () => audio as AudioStore,
    keepAudio,
    isOn,
  });
  return { begin: () => service.begin(principalOf('ada')), files, samples };
}

test('the sample has its audio, and says so', async () => {
  const { begin, files, samples } = newcomer({});
  expect(await begin()).toMatchObject({ shown: true });
  const [sample] = samples;
  expect(sample?.recording).toMatchObject({ has_audio: true, keep_audio: true });
  expect([...files]).toEqual([sample?.recording.id]);
});

test('two pages at once leave one sample, and no audio of the other', async () => {
  const { begin, files } = newcomer({ isFirst: false });
  await begin();
  expect(files.size).toBe(0);
});

test('where no audio is kept, the sample has none', async () => {
  const { begin, files, samples } = newcomer({ keepAudio: false });
  await begin();
  expect(files.size).toBe(0);
  expect(samples[0]?.recording).toMatchObject({ has_audio: false, keep_audio: false });
});

test.each([
  ['somebody who has notes', { isNew: false }, true],
  ['a server whose operator does not want them', { isOn: false }, false],
])('%s gets no sample', async (_, who, shown) => {
  const { begin, files, samples } = newcomer(who);
  expect(await begin()).toMatchObject({ shown });
  expect([files.size, samples.length]).toEqual([0, 0]);
});
