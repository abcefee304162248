import { expect, test } from 'vitest';
import { DecoderUnavailable, SpeechOutOfOrder } from '../../src/domain/speech-errors.ts';
import { settled, uploadTo } from '../support/recordings.ts';
import { createFakeSpeech, recording } from '../support/speech.ts';
import { startSteno } from '../support/steno.ts';

test.for([
  ['a decoder whose files are gone', new DecoderUnavailable('no such file')],
  ['a speech engine that is out of order', new SpeechOutOfOrder('no such model')],
] as const)('a recording waits for %s, however long that takes', async ([, fault]) => {
  const { decoder, transcriber } = createFakeSpeech();
  let faults = 0;
  const stream: typeof decoder.stream = (...call) => {
    faults += 1;
    return faults <= 30 ? Promise.reject(fault) : decoder.stream(...call);
  };
  // Time runs fast, so that nobody waits for the next try.
  let now = Date.now();
  const clock = () => {
    now += 90_000;
    return now;
  };
  const steno = await startSteno({ clock, speech: { decoder: { ...decoder, stream }, transcriber } });
  try {
    const { key } = await steno.person();
    const { body } = await uploadTo(steno, key, recording());
    expect(await settled(steno, key, body.data.id)).toMatchObject({ state: 'done', error: null });
    expect(faults).toBe(31);
  } finally {
    await steno.close();
  }
});
