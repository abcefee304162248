import { compose } from '../../src/compose.ts';
import { readConfig } from '../../src/config.ts';
import { createFakeSpeech } from './speech.ts';

/**
 * A server process of its own, to be killed: its clock stands at TEST_NOW, and with TEST_HOLD its engine never ends.
 * Each line it writes tells how far it is.
 */
const now = Number(process.env.TEST_NOW);
const speech = createFakeSpeech();
const steno = await compose(readConfig({ ...process.env, STENO_LOG_LEVEL: 'silent' }), {
  clock: () => now,
  ...speech,
});
process.stdout.write(`${await steno.app.listen({ host: '127.0.0.1', port: 0 })}\n`);
if (process.env.TEST_HOLD) {
  speech.hold();
  await speech.reached(1);
  process.stdout.write('transcribing\n');
}
