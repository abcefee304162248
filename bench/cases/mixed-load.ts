import autocannon from 'autocannon';
import { createCorpus } from '../lib/corpus.ts';
import { fetchOk } from '../lib/load.ts';
import type { Measure } from '../lib/measure.ts';
import { createDataDir, startServer } from '../lib/server.ts';

const connections = 200;

export const mixedLoad: Measure = {
  name: 'errors in 5 minutes of mixed load at 200 connections',
  goal: '0',
  async run({ scale }) {
    const data = await createDataDir();
    const steno = await startServer(data);
    const corpus = createCorpus(3);
    const post = (path: string, body: unknown) => ({
      method: 'POST' as const,
      path: `/api/v1${path}`,
      headers: steno.headers,
      body: JSON.stringify(body),
    });
    const { data: note } = JSON.parse(
      await fetchOk(`${steno.url}/api/v1/notes/create`, post('/notes/create', { content: 'first' })),
    );
    const get = (path: string) => ({
      method: 'GET' as const,
      path: `/api/v1${path}`,
      headers: steno.headers,
    });
    const result = await autocannon({
      url: steno.url,
      connections,
      duration: Math.max(5, 300 * scale),
      timeout: 60,
      requests: [
        ...Array.from({ length: 5 }, () => get(`/notes/${note.id}`)),
        get('/notes/list?limit=20'),
        post('/notes/create', { title: 'mixed', content: corpus.sentence(60) }),
        get('/folders/list'),
        post('/notes/search', { query: corpus.query() }),
        { ...post(`/notes/${note.id}`, { content: corpus.sentence(40) }), method: 'PATCH' as const },
        get('/me'),
      ],
    });
    await steno.stop();
    data.remove();
    const errors = result.errors + result.timeouts + result.non2xx;
    const detail = `${result.requests.total} requests in ${Math.round(result.duration)} s, p99 ${result.latency.p99} ms`;
    return { value: errors, met: errors === 0, detail };
  },
};
