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

test('/readyz and /metrics tell how old the oldest job is, and that the queue stands still', async () => {
  const speech = createFakeSpeech();
  let ahead = 0;
  const steno = await startSteno({ clock: () => Date.now() + ahead, speech });
  const ready = async () => (await steno.app.inject('/readyz')).json();
  const metrics = () => steno.readMetrics();
  try {
    const { key } = await steno.person();
    const goOn = speech.hold();
    for (const _ of ['in work', 'waits']) await uploadTo(steno, key, recording());
    await speech.reached(1);
    expect(await ready()).toMatchObject({ status: 'ready', recordings: { in_queue: 2 } });
    ahead = 20 * 60_000;
    expect(await ready()).toMatchObject({
      status: 'degraded',
      reason: 'A recording has made no progress for 20 minutes.',
      recordings: { in_queue: 2, oldest_seconds: expect.closeTo(1_200, -2) },
    });
    expect(await metrics()).toContain('steno_recordings_in_queue{state="queued"} 1');
    expect(await metrics()).toMatch(/steno_recordings_oldest_seconds\{state="transcribing"\} 12\d\d/);
    await steno.pause.begin();
    goOn();
    await expect.poll(metrics).toContain('steno_recordings_in_queue{state="transcribing"} 0');
    // The operator's wish.
    expect((await ready()).status).toBe('ready');
  } finally {
    await steno.close();
  }
});
