import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createAudioFolder } from '../../src/platform/audio-store/index.ts';
import { makeDatabase, newFolder, runSteno } from '../support/process.ts';

const owner = 1234;
let folder: string;
beforeEach(() => {
  folder = newFolder();
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const ownersIn = (dir: string) =>
  Object.fromEntries(
    readdirSync(dir, { recursive: true, encoding: 'utf8' }).map((name) => [
      name,
      lstatSync(join(dir, name)).uid,
    ]),
  );

describe.runIf(process.platform === 'linux' && process.getuid?.() === 0)('a command that root runs', () => {
  test('leaves nothing in the data folder that its owner could not open', async () => {
    const source = join(folder, 'source');
    await makeDatabase(source);
    const backup = join(folder, 'backup');
    expect(await runSteno(['backup', backup], { STENO_DATA_DIR: source })).toMatchObject({ code: 0 });
    const data = join(folder, 'data');
    mkdirSync(join(data, 'models'), { recursive: true });
    for (const dir of [data, join(data, 'models')]) chownSync(dir, owner, owner);
    writeFileSync(join(data, 'models/in-use'), 'as "models use" leaves it');
    // What its owner might link here from elsewhere stays root's.
    const secret = join(folder, 'secret');
    writeFileSync(secret, '');
    linkSync(secret, join(data, 'linked'));
    expect(await runSteno(['restore', backup], { STENO_DATA_DIR: data })).toMatchObject({
      code: 0,
      stderr: '',
    });
    const { linked, ...others } = ownersIn(data);
    expect(linked).toBe(0);
    expect(others).toMatchObject({ 'steno.db': owner, 'server.lock': owner, 'models/in-use': owner });
    expect(new Set(Object.values(others))).toEqual(new Set([owner]));
  });

  test('leaves audio to the owner of its folder', async () => {
    chownSync(folder, owner, owner);
    const chunks = (async function* () {
      yield Buffer.from('sound');
    })();
    await createAudioFolder(join(folder, 'recordings')).append('a', 0, chunks, async () => {});
    expect(ownersIn(folder)).toEqual({ recordings: owner, 'recordings/a.sound': owner });
  });

  test('for another user says whose the data is', async () => {
    const data = join(folder, 'data');
    await makeDatabase(data);
    chmodSync(folder, 0o755);
    const list = () =>
      spawnSync(
        'setpriv',
        [
          `--reuid=${owner}`,
          '--clear-groups',
          join(import.meta.dirname, '../../deploy/steno'),
          'users',
          'list',
        ],
        {
          encoding: 'utf8',
          env: { PATH: process.env.PATH, STENO_DATA_DIR: data, STENO_ENV_FILE: '/dev/null' },
        },
      ).stderr;
    chmodSync(data, 0o755);
    chmodSync(join(data, 'steno.db'), 0o600);
    expect(list()).toContain(`steno.db belongs to root (0) with mode 0600; you are user ${owner}.`);
  });
});
