import { rmSync } from 'node:fs';
import { describe, expect, inject, test } from 'vitest';
import { startFakeModel } from '../support/fake-model.ts';
import { createDatabase } from '../support/postgres.ts';
import { newFolder, startServer } from '../support/process.ts';
import { databaseKinds } from '../support/steno.ts';

describe.each(databaseKinds)('a server that is killed while a text is written, on %s', (kind) => {
  test('goes on after the next start; no piece is asked for twice, and nothing is written twice', async () => {
    const model = await startFakeModel({ window: 1_500 });
    const dataDir = newFolder();
    const database = kind === 'postgres' ? await createDatabase(inject('postgresUrl')) : undefined;
    const start = () =>
      startServer({
        dataDir,
        ...(database ? { databaseUrl: database.url } : {}),
        settings: { STENO_LLM_URL: model.url, STENO_ENGINE: 'fake' },
      });
    let server = await start();
    const { key } = server;
    const call = async (method: string, path: string, body?: object) => {
      const answer = await fetch(`${server.address}/api/v1${path}`, {
        method,
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        ...(body ? { body: JSON.stringify(body) } : {}),
      });
      // Tests look into bodies of every shape.
      return ((await answer.json()) as { data: Record<string, unknown> }).data;
    };
    try {
      const lines = Array.from({ length: 240 }, (_, at) => `Point ${at}: the price is ${1_000 + at} euros.`);
      const note = await call('POST', '/notes/create', { content: lines.join('\n') });
      // Twice: the next piece is written, the one after it hangs, and the server dies.
      model.next('none', 'slow');
      let job = await call('POST', `/notes/${note.id}/enhance`, { action: 'action-items' });
      for (const requests of [2, 4]) {
        await expect.poll(() => model.requests.length).toBe(requests);
        await server.kill();
        model.goOn();
        if (requests === 2) model.next('none', 'slow');
        server = await start();
      }
      await expect
        .poll(async () => {
          job = await call('GET', `/language/jobs/${job.id}`);
          return job.state;
        })
        .toBe('done');
      const { enhanced_content, content } = await call('GET', `/notes/${note.id}`);
      expect(content).toBe(lines.join('\n'));
      expect(String(enhanced_content).match(/## Action items/g)).toHaveLength(1);
      // Only the pieces in work at a kill were asked for twice.
      const firstLine = (content = '') => /\n(.*)\n/.exec(content)?.[1];
      const asked = Map.groupBy(model.requests, ({ messages }) => firstLine(messages[1]?.content));
      expect([...asked.values()].map((times) => times.length).slice(0, 4)).toEqual([1, 2, 2, 1]);
    } finally {
      await server.kill();
      await model.close();
      await database?.drop();
      rmSync(dataDir, { recursive: true, force: true });
    }
  });
});
