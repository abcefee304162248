import { fetchOk, ratioInTurns, throughput } from '../lib/load.ts';
import type { Measure } from '../lib/measure.ts';
import { createDataDir, ownHeaders, startScript, startServer } from '../lib/server.ts';

const connections = 32;
const goal = 0.5;

export const getNote: Measure = {
  name: 'GET /notes/{id} against bare node:http that sends the same bytes, 32 connections',
  goal: `>= ${goal}`,
  async run({ scale }) {
    const data = await createDataDir();
    const steno = await startServer(data);
    const created = await fetchOk(`${steno.url}/api/v1/notes/create`, {
      method: 'POST',
      headers: steno.headers,
      body: JSON.stringify({ title: 'A note', content: 'word '.repeat(100) }),
    });
    const url = `${steno.url}/api/v1/notes/${JSON.parse(created).data.id}`;
    const answer = await fetch(url, { headers: steno.headers });
    const bare = await startScript('bare-http.ts', [
      JSON.stringify({ headers: ownHeaders(answer), body: await answer.text() }),
    ]);
    const seconds = Math.max(2, 8 * scale);
    const ours = () => throughput({ url, headers: steno.headers, connections, seconds });
    const theirs = () => throughput({ url: bare.url, connections, seconds });
    await ours();
    await theirs();
    const result = await ratioInTurns(5, ours, theirs);
    await steno.stop();
    await bare.stop();
    data.remove();
    const detail = `${Math.round(result.ours)} against ${Math.round(result.theirs)} requests a second`;
    return { value: result.ratio, met: result.ratio >= goal, detail };
  },
};
