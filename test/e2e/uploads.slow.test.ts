import { rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import * as tus from 'tus-js-client';
import { afterAll, expect, test } from 'vitest';
import { cuttingProxy } from '../support/cutting-proxy.ts';
import { newFolder, startServer } from '../support/process.ts';
import { seededRandom } from '../support/random.ts';
import { joinSamples, samplesOf, silence, wavOf } from '../support/sound.ts';

const dataDir = newFolder();
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

const wantedCuts = 50;
const killAtCuts = [12, 25, 38];
const seed = Number(process.env.STENO_TEST_SEED ?? 20_261_115);

test(`tus-js-client uploads every byte through ${wantedCuts} cut connections and ${killAtCuts.length} kills (seed ${seed})`, async () => {
  const sentence = joinSamples(samplesOf('jfk.wav'), silence(3));
  const file = Buffer.from(wavOf(joinSamples(...Array.from({ length: 20 }, () => sentence))));
  const random = seededRandom(seed);
  let cuts = 0;
  const proxy = await cuttingProxy(() => {
    cuts += 1;
    return cuts > wantedCuts ? Number.POSITIVE_INFINITY : random.between(1, 260_000);
  });
  let server = await startServer({ dataDir });
  const { key = '' } = server;
  proxy.leadTo(server.address);

  let isUp = true;
  async function restart(): Promise<void> {
    isUp = false;
    await server.kill();
    server = await startServer({ dataDir });
    proxy.leadTo(server.address);
    isUp = true;
  }
  const kills: Promise<void>[] = [];
  const authorization = `Bearer ${key}`;
  const url = await new Promise<string>((resolve, reject) => {
    const upload = new tus.Upload(file, {
      endpoint: `${proxy.origin}/api/v1/recordings/uploads`,
      headers: { authorization },
      metadata: { filename: 'Board meeting.wav', note: 'true' },
      retryDelays: Array.from({ length: 200 }, () => 5),
      async onBeforeRequest() {
        if (killAtCuts.includes(cuts)) {
          killAtCuts.splice(killAtCuts.indexOf(cuts), 1);
          kills.push(restart());
        }
        while (!isUp) await sleep(20);
      },
      onError: reject,
      onSuccess: () => resolve(upload.url ?? ''),
    });
    upload.start();
  });
  await Promise.all(kills);
  expect(cuts).toBeGreaterThan(wantedCuts);
  expect(killAtCuts).toEqual([]);

  const id = url.split('/').at(-1);
  const get = (path: string) =>
    fetch(`${server.address}/api/v1/recordings/${id}${path}`, { headers: { authorization } });
  expect(Buffer.from(await (await get('/audio')).arrayBuffer()).equals(file)).toBe(true);
  const events = await (await get('/events')).text();
  expect(events).toMatch(/"state":"done"/);
  const { data } = (await (await get('')).json()) as { data: Record<string, unknown> };
  expect(data).toMatchObject({
    state: 'done',
    name: 'Board meeting',
    bytes: file.length,
    media_type: 'audio/wav',
  });
  await server.stop();
  await proxy.close();
});
