import { load, ratioInTurns } from '../lib/load.ts';
import type { Measure } from '../lib/measure.ts';
import { seedNotes } from '../lib/seed.ts';
import { createDataDir, ownHeaders, startScript, startServer } from '../lib/server.ts';

const connections = 32;
const goal = 3_000;

export const listRate: Measure = {
  name: 'GET /notes/list?limit=50 a second on SQLite, 32 connections, beside bare node:http that sends the same bytes',
  goal: `>= ${goal}`,
  async run({ scale }) {
    const data = await createDataDir();
    await seedNotes(data, 2_000);
    const steno = await startServer(data);
    const url = `${steno.url}/api/v1/notes/list?limit=50`;
    const { headers } = steno;
    // Not compressed: the load asks for that neither.
    const answer = await fetch(url, { headers: { ...headers, 'accept-encoding': 'identity' } });
    const bare = await startScript('bare-http.ts', [
      JSON.stringify({ headers: ownHeaders(answer), body: await answer.text() }),
    ]);
    const seconds = Math.max(2, 8 * scale);
    const slowest: number[] = [];
    const ours = async () => {
      const { rate, p99 } = await load({ url, headers, connections, seconds });
      slowest.push(p99);
      return rate;
    };
    const theirs = async () => (await load({ url: bare.url, connections, seconds })).rate;
    await ours();
    await theirs();
    const result = await ratioInTurns(3, ours, theirs);
    const known = { ...headers, 'if-none-match': answer.headers.get('etag') ?? '' };
    const unchanged = await load({ url, headers: known, connections, seconds });
    const leanUrl = `${url}&fields=id,title,preview,created_at`;
    await load({ url: leanUrl, headers, connections, seconds });
    const lean = await ratioInTurns(
      3,
      async () => (await load({ url: leanUrl, headers, connections, seconds })).rate,
      ours,
    );
    await steno.stop();
    await bare.stop();
    data.remove();
    const detail = [
      `${result.ratio.toFixed(2)} of the bare server, which sent ${Math.round(result.theirs)}`,
      `p99 at most ${Math.max(...slowest.slice(1))} ms`,
      `${Math.round(unchanged.rate)} if the client has it already (304)`,
      `${Math.round(lean.ours)} with fields=id,title,preview,created_at, ${lean.ratio.toFixed(2)} times as many`,
    ].join('; ');
    return { value: Math.round(result.ours), met: result.ours >= goal, detail };
  },
};
