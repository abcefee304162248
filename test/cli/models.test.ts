import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addModelsCommand } from '../../src/cli/models.ts';
import { readConfig } from '../../src/config.ts';
import { createTranscriber } from '../../src/engines/speech/index.ts';
import { cacheFolders, locateModel } from '../../src/engines/speech/pool/model-file.ts';
import { findPrepared } from '../../src/engines/speech/prepared.ts';
import { lockDataDir } from '../../src/platform/database/data-dir-lock.ts';
import { expectResumed, type Hub, sha256, startHub } from '../support/hub.ts';
import { scratchFolder, smallShape, writeWhisperFile } from '../support/whisper-file.ts';

/** A data folder of its own, and the commands that work on it. */
function setUp(settings: Record<string, string> = {}) {
  const dataDir = scratchFolder();
  const config = readConfig({ STENO_DATA_DIR: dataDir, STENO_WORKERS: '1', ...settings });
  async function run(...args: string[]): Promise<string> {
    const lines: string[] = [];
    const program = new Command().exitOverride();
    addModelsCommand(program, { env: {}, config: () => config, print: (line) => lines.push(line) });
    await program.parseAsync(['models', ...args], { from: 'user' });
    return lines.join('\n');
  }
  const list = async (): Promise<{ name: string; state: string; languages: string[] | null }[]> =>
    JSON.parse(await run('list', '--json'));
  return { dataDir, config, folder: join(dataDir, 'models'), run, list };
}

const multilingual = { ...smallShape, vocabulary: 51_865 };

/** Written once, which takes a second. */
const madeIn = mkdtempSync(join(tmpdir(), 'steno-models-'));
beforeAll(() => writeWhisperFile(join(madeIn, 'own.bin'), multilingual));
afterAll(() => rmSync(madeIn, { recursive: true }));

function modelFile(name = 'ggml-own.bin'): string {
  const path = join(scratchFolder(), name);
  copyFileSync(join(madeIn, 'own.bin'), path);
  return path;
}

const onHub = (hub: Hub) => setUp({ STENO_MODELS_URL: hub.url });

describe('steno models list', () => {
  test('shows what is here and what can be had, with size, languages and licence', async () => {
    const { run, list } = setUp();
    expect(await run()).toMatch(/whisper-base\.en +in use +148 MB +English +MIT/);
    expect(await run()).toMatch(/whisper-small-q8 +in use +249 MB +99 +Apache-2\.0/);
    expect(await run('list')).toMatch(/whisper-large-v3-turbo +available +1625 MB +100 +MIT/);
    expect(await run('list')).toMatch(/parakeet-tdt-0\.6b-v3 +available +740 MB +25 +CC-BY-4\.0/);
    expect((await list())[0]).toMatchObject({ name: 'whisper-base.en', state: 'in use', languages: ['en'] });
  });
});

describe('steno models add', () => {
  test('downloads a model by its name, from the mirror of the setting, and compares its checksum', {
    tags: 'slow',
  }, async () => {
    const boxed = locateModel('');
    const hub = await startHub(readFileSync(boxed.path));
    hub.faults = [{ after: 50_000_000, end: 'break' }];
    const { run, folder } = onHub(hub);
    hub.stored = () => statSync(join(folder, 'again.part'), { throwIfNoEntry: false })?.size ?? 0;
    expect(await run('add', 'base.en', '--name', 'again')).toContain('Its checksum is the published one');
    expect(locateModel(join(folder, 'again.bin')).languages).toEqual(['en']);
    expectResumed(hub, 1);
    expect(readdirSync(folder)).toEqual(['again.bin']);
  });

  test('refuses a file that is not the published one, and keeps nothing of it', async () => {
    const hub = await startHub(readFileSync(modelFile()));
    const { run, folder } = onHub(hub);
    await expect(run('add', 'tiny')).rejects.toThrow(/not the published file of whisper-tiny.*be07e048/);
    expect(readdirSync(folder)).toEqual([]);
  });

  test('refuses bytes that are not those of which the hub tells the checksum', { tags: 'slow' }, async () => {
    const hub = await startHub(readFileSync(modelFile()));
    hub.published.sha256 = sha256(Buffer.from('another file'));
    const { run, folder } = onHub(hub);
    await expect(run('add', `${hub.url}/ggml-own.bin`)).rejects.toThrow(/not the published file/);
    expect(readdirSync(folder)).toEqual([]);
  });

  test('downloads from any address, and says when nobody published a checksum', {
    tags: 'slow',
  }, async () => {
    const file = readFileSync(modelFile());
    const hub = await startHub(file);
    hub.published.sha256 = null;
    const { run, list } = setUp();
    const told = await run('add', `${hub.url}/some/ggml-own.bin?download=true`);
    expect(told).toContain(`No checksum is published for it; its SHA-256 is ${sha256(file)}`);
    expect(await list()).toContainEqual(
      expect.objectContaining({ name: 'whisper-own', state: 'installed', languages: expect.any(Array) }),
    );
  });

  test('takes the checksum that the user knows', async () => {
    const hub = await startHub(readFileSync(modelFile()));
    hub.published.sha256 = null;
    const { run } = setUp();
    const address = `${hub.url}/own.bin`;
    await expect(run('add', address, '--sha256', 'f'.repeat(64))).rejects.toThrow(/not the published/);
    expect(await run('add', address, '--sha256', sha256(hub.file).toUpperCase())).toContain('published one');
    await expect(run('add', address, '--sha256', 'abc')).rejects.toThrow(/64 hexadecimal digits/);
  });

  test('copies a file, without any network', async () => {
    const path = modelFile();
    const { run, folder } = setUp({ STENO_MODELS_URL: 'http://127.0.0.1:1' });
    await run('add', path);
    expect(readFileSync(join(folder, 'whisper-own.bin')).equals(readFileSync(path))).toBe(true);
    await expect(run('add', path)).rejects.toThrow(/whisper-own is already there/);
    expect(existsSync(path)).toBe(true);
  });

  test.for([
    ['is cut off', (path: string) => truncateSync(path, 2_000_000), /ends too early/],
    [
      'is no model',
      (path: string) => writeFileSync(path, '<html>Sign in</html>'),
      /not a GGML or GGUF model/,
    ],
    [
      'is packed in a way that is not known',
      (path: string) => {
        const file = readFileSync(path);
        const at = file.indexOf('encoder.conv1.weight') - 16;
        file.writeInt32LE(12, at);
        writeFileSync(path, file);
      },
      /type 12; Steno reads F32, F16/,
    ],
    ['bears the name of a published one and is another', null, /not the published file of whisper-tiny/],
  ] as const)('refuses a file that %s', async ([, spoil, sentence]) => {
    const path = modelFile(spoil ? 'own.bin' : 'ggml-tiny.bin');
    spoil?.(path);
    const { run, folder } = setUp();
    await expect(run('add', path)).rejects.toThrow(sentence);
    expect(readdirSync(folder)).toEqual([]);
  });

  test('refuses what is neither a name nor an address nor a file, and names that leave the folder', async () => {
    const { run } = setUp();
    await expect(run('add', 'whisper-huge')).rejects.toThrow(/neither a model of/);
    await expect(run('add', tmpdir())).rejects.toThrow(/neither a model of/);
    await expect(run('add', modelFile(), '--name', '../../evil')).rejects.toThrow(/cannot be the name/);
    await expect(run('add', 'base.en')).rejects.toThrow(/comes with Steno/);
  });
});

describe('steno models use', () => {
  test('chooses what serves from the next start on, until another is chosen', async () => {
    const { run, list, config } = setUp();
    await run('add', modelFile());
    expect(await run('use', 'own')).toContain('whisper-own (99 languages)');
    expect((await list())[0]).toMatchObject({ name: 'whisper-own', state: 'in use' });
    const transcriber = createTranscriber(config.engine);
    expect(transcriber.status()).toMatchObject({ model: 'whisper-own' });
    expect(transcriber.status().languages).toContain('de');
    await transcriber.close();
    await run('use', 'whisper-base.en');
    expect((await list())[0]).toMatchObject({ name: 'whisper-base.en', state: 'in use' });
  });

  test('says when STENO_MODEL comes first', async () => {
    const { run } = setUp({ STENO_MODEL: locateModel('').path });
    await run('add', modelFile());
    expect(await run('use', 'own')).toContain('STENO_MODEL is set');
  });

  test('refuses a model that is not here, and says how to get it', async () => {
    const { run } = setUp();
    await expect(run('use', 'small')).rejects.toThrow('Add it: npx steno models add small');
    await expect(run('use', '../in-use')).rejects.toThrow('not on this machine');
  });

  test('a chosen model that is gone is told, with what to do', async () => {
    const { run, folder, config } = setUp();
    mkdirSync(folder);
    writeFileSync(join(folder, 'in-use'), 'whisper-gone\n');
    await expect(run('list')).rejects.toThrow(/whisper-gone, is not in .*steno models use/);
    const transcriber = createTranscriber(config.engine);
    await expect.poll(() => transcriber.status().problem).toContain('whisper-gone');
    await transcriber.close();
    await run('use', 'whisper-base.en');
    expect(await run('list')).toContain('in use');
  });
});

describe('steno models remove', () => {
  test('deletes a model, but never the one in use', async () => {
    const { run, folder } = setUp();
    await run('add', modelFile());
    await run('use', 'own');
    await expect(run('remove', 'own')).rejects.toThrow(/is in use/);
    await run('use', 'base.en');
    await run('remove', 'own');
    expect(readdirSync(folder)).toEqual([]);
    await expect(run('remove', 'base.en')).rejects.toThrow(/comes with Steno/);
  });

  test('deletes a file that is no model, which the list shows as damaged', async () => {
    const { run, list, folder } = setUp();
    mkdirSync(folder);
    writeFileSync(join(folder, 'whisper-broken.bin'), 'half a file');
    expect(await list()).toContainEqual(
      expect.objectContaining({ name: 'whisper-broken', state: 'damaged' }),
    );
    await expect(run('use', 'broken')).rejects.toThrow(/not a GGML or GGUF model/);
    await run('remove', 'broken');
    expect(readdirSync(folder)).toEqual([]);
  });

  test('waits until no server uses the folder, because it may hold the model', { tags: 'slow' }, async () => {
    const { run, dataDir, folder } = setUp();
    await run('add', modelFile());
    const server = lockDataDir(dataDir);
    await expect(run('remove', 'own')).rejects.toThrow(/Another Steno server/);
    server.release();
    await run('remove', 'own');
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe('steno models test', () => {
  test('says what the model in use hears, and how long it takes', { tags: 'slow' }, async () => {
    const { run } = setUp();
    const told = await run('test');
    expect(told).toContain('ask what you can do for your country');
    expect(told).toMatch(
      /whisper-base\.en was loaded in [\d.]+ s and transcribed the clip in [\d.]+ s: language en, \d+ %/,
    );
  });

  test('runs a multilingual model that was added; what was made of it goes with it', {
    tags: 'slow',
  }, async () => {
    const { run, config, folder } = setUp();
    const folders = cacheFolders(config.engine.cacheFolder);
    await run('add', modelFile());
    const path = join(folder, 'whisper-own.bin');
    const made = findPrepared({ path, folders, checkHash: false }) ?? expect.unreachable();
    expect(await run('test', 'own')).toMatch(/whisper-own was loaded in .*: language [a-z]{2,3}, /);
    await run('remove', 'own');
    expect(existsSync(made)).toBe(false);
  });

  test('tells a damaged file', async () => {
    const { run, folder } = setUp();
    mkdirSync(folder);
    writeWhisperFile(join(folder, 'whisper-tiny.bin'), multilingual);
    await expect(run('test', 'tiny')).rejects.toThrow(/damaged, or not the published whisper-tiny/);
  });
});
