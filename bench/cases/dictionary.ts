import { fetchOk, latencies, median } from '../lib/load.ts';
import type { Measure } from '../lib/measure.ts';
import { createDataDir, startServer } from '../lib/server.ts';

const goal = 1.5;
const words = 20_000;
const wordsPerRequest = 200;
const wordsPerPage = 500;
/** Compared at each end; as many come before to warm the server up. */
const requestsCompared = 10;

export const dictionary: Measure = {
  name: 'POST /dictionary/create of 200 words: p50 with 20,000 words there against 2,000',
  goal: `<= ${goal}`,
  async run() {
    const data = await createDataDir();
    const { url, headers, stop } = await startServer(data);
    let added = 0;
    const add = () => {
      const asked = Array.from({ length: wordsPerRequest }, (_, index) => `Wörd number ${added + index}`);
      added += wordsPerRequest;
      const body = JSON.stringify({ words: asked });
      return fetchOk(`${url}/api/v1/dictionary/create`, { method: 'POST', headers, body });
    };
    await latencies(requestsCompared, add);
    const first = median(await latencies(requestsCompared, add));
    while (added < words) await add();
    const last = median(await latencies(requestsCompared, add));

    let cursor: string | null = '';
    const pages = await latencies(Math.ceil(added / wordsPerPage), async () => {
      const path = `/api/v1/dictionary/list?limit=${wordsPerPage}${cursor && `&cursor=${cursor}`}`;
      cursor = JSON.parse(await fetchOk(url + path, { headers })).next_cursor;
    });
    await stop();
    data.remove();

    const listed = `${added} words listed in ${pages.length} pages of ${median(pages).toFixed(1)} ms`;
    const detail = `${last.toFixed(1)} ms against ${first.toFixed(1)} ms; ${listed}`;
    return { value: last / first, met: last / first <= goal && cursor === null, detail };
  },
};
