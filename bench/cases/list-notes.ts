import { fetchOk, latencies, percentile, ratioInTurns } from '../lib/load.ts';
import type { Measure } from '../lib/measure.ts';
import { seedNotes } from '../lib/seed.ts';
import { createDataDir, startServer } from '../lib/server.ts';

const goal = 1.5;
const few = 1_000;
const many = 1_000_000;
const callsPerRound = 300;

export const listNotes: Measure = {
  name: 'GET /notes/list?limit=50: p50 at 1,000,000 notes against 1,000',
  goal: `<= ${goal}`,
  async run({ scale }) {
    const small = await serverWith(few);
    const large = await serverWith(Math.round(many * scale));
    const p50 = (server: typeof small) => async () =>
      percentile(await latencies(callsPerRound, server.list), 0.5);
    await p50(small)();
    await p50(large)();
    const result = await ratioInTurns(5, p50(large), p50(small));
    await small.stop();
    await large.stop();
    const detail = `${result.ours.toFixed(2)} ms against ${result.theirs.toFixed(2)} ms`;
    return { value: result.ratio, met: result.ratio <= goal, detail };
  },
};

async function serverWith(notes: number) {
  const data = await createDataDir();
  await seedNotes(data, notes);
  const steno = await startServer(data);
  return {
    list: () => fetchOk(`${steno.url}/api/v1/notes/list?limit=50`, { headers: steno.headers }),
    async stop() {
      await steno.stop();
      data.remove();
    },
  };
}
