import { load, ratioInTurns } from '../lib/load.ts';
import type { Measure } from '../lib/measure.ts';
import { seedNotes } from '../lib/seed.ts';
import { createDataDir, ownHeaders, startScript, startServer } from '../lib/server.ts';

const connections = 32;
const goal = 3_000;
/** What a sidebar needs. */
const leanFields = 'id,title,preview,created_at';
/** Three minutes of speech. */
const wordsOfMinutes = 400;

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
    const lean = await leanRate(url, headers, seconds);
    await steno.stop();
    await bare.stop();
    data.remove();
    const said = await createDataDir();
    await seedNotes(said, 500, wordsOfMinutes);
    const other = await startServer(said);
    const longer = await leanRate(`${other.url}/api/v1/notes/list?limit=50`, other.headers, seconds);
    await other.stop();
    said.remove();
    const detail = [
      `${result.ratio.toFixed(2)} of the bare server, which sent ${Math.round(result.theirs)}`,
      `p99 at most ${Math.max(...slowest.slice(1))} ms`,
      `${Math.round(unchanged.rate)} if the client has it already (304)`,
      `${Math.round(lean.ours)} with fields=${leanFields}, ${lean.ratio.toFixed(2)} times as many`,
      `with notes of ${wordsOfMinutes} words ${longer.ratio.toFixed(2)} times as many`,
    ].join('; ');
    return { value: Math.round(result.ours), met: result.ours >= goal, detail };
  },
};

/** Lists with some fields beside whole ones. */
async function leanRate(url: string, headers: Record<string, string>, seconds: number) {
  const rateOf = async (asked: string) => (await load({ url: asked, headers, connections, seconds })).rate;
  const lean = `${url}&fields=${leanFields}`;
  await rateOf(lean);
  return ratioInTurns(
    3,
    () => rateOf(lean),
    () => rateOf(url),
  );
}
