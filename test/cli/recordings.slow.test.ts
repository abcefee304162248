import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { newFolder, runSteno, startServer } from '../support/process.ts';
import { recording } from '../support/sound.ts';

const folder = newFolder();
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('backup and restore take the sound of recordings along, and doctor finds what is missing', async () => {
  const settings = { STENO_DATA_DIR: join(folder, 'data') };
  const metricsListen = `127.0.0.1:${await freePort()}`;
  const server = await startServer({
    dataDir: settings.STENO_DATA_DIR,
    settings: { STENO_METRICS_LISTEN: metricsListen },
  });
  const sound = recording('jfk.mp3');
  const answer = await fetch(`${server.address}/api/v1/recordings?name=jfk`, {
    method: 'POST',
    headers: { authorization: `Bearer ${server.key}`, 'content-type': 'audio/mpeg' },
    body: new Uint8Array(sound),
  });
  expect(answer.status).toBe(201);
  const { data } = (await answer.json()) as { data: { id: string } };
  const file = join(settings.STENO_DATA_DIR, 'recordings', `${data.id}.sound`);
  const backup = join(folder, 'backups');
  const made = await runSteno(['backup', backup], settings);
  expect(made.stdout).toContain('the audio of 1 recordings, 1 of them new');
  expect((await runSteno(['backup', backup], settings)).stdout).toContain('1 recordings, 0 of them new');
  expect((await runSteno(['backup', join(folder, 'words'), '--without-audio'], settings)).stdout).toContain(
    'Without the audio of 1 recordings',
  );
  const metrics = await (await fetch(`http://${metricsListen}/metrics`)).text();
  const told = Number(/^steno_last_backup_timestamp_seconds\{kind="full"\} (\S+)$/m.exec(metrics)?.[1]);
  expect(Math.abs(told - Date.now() / 1000)).toBeLessThan(300);
  await server.stop();

  const doctor = async () => {
    const { stdout } = await runSteno(['doctor', '--no-speech', '--json'], settings);
    const { checks } = JSON.parse(stdout) as { checks: { check: string; state: string; found: string }[] };
    expect(checks.find(({ check }) => check === 'backup')).toMatchObject({
      state: 'ok',
      found: expect.stringContaining(folder),
    });
    return checks.find(({ check }) => check === 'recordings');
  };
  expect(await doctor()).toMatchObject({ state: 'ok' });
  rmSync(file);
  writeFileSync(join(settings.STENO_DATA_DIR, 'recordings', 'left.sound'), 'x');
  expect(await doctor()).toMatchObject({ state: 'broken', found: expect.stringContaining(data.id) });
  const restored = await runSteno(['restore', backup, '--yes'], settings);
  expect(restored.code).toBe(0);
  expect(existsSync(file)).toBe(true);
  expect(new Uint8Array(readFileSync(file))).toEqual(sound);
  expect(await doctor()).toMatchObject({ state: 'warning', found: expect.stringContaining('left') });
});
