import { appendFileSync, copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openWatchedFolder } from '../../src/cli/watch-folder.ts';
import { newFolder, runSteno, type ServerProcess, startServer } from '../support/process.ts';

const fixture = (name: string) => join(import.meta.dirname, '../fixtures/audio', name);
let folder: string;
beforeEach(() => {
  folder = newFolder();
});

describe('a folder that is watched', () => {
  test('a file is ready when it has stopped growing', async () => {
    const watched = await openWatchedFolder(folder, 'http://a');
    const names = async () => (await watched.look()).ready.map(({ path }) => path);
    writeFileSync(join(folder, 'a.wav'), 'half');
    expect(await watched.look()).toEqual({ ready: [], waiting: 1 });
    appendFileSync(join(folder, 'a.wav'), ' and more');
    expect(await names()).toEqual([]);
    expect(await names()).toEqual(['a.wav']);
    // Nobody has taken it yet.
    expect(await names()).toEqual(['a.wav']);
  });

  test('what is empty, hidden or no recording by its name is not looked at', async () => {
    const watched = await openWatchedFolder(folder, 'http://a');
    for (const name of ['.hidden.wav', 'notes.txt', 'a.wav.part', 'A.MP3'])
      writeFileSync(join(folder, name), 'x');
    writeFileSync(join(folder, 'empty.wav'), '');
    await watched.look();
    expect((await watched.look()).ready).toMatchObject([{ path: 'A.MP3' }]);
  });

  test('what was taken is known after a restart, for that server', async () => {
    writeFileSync(join(folder, 'a.wav'), 'sound');
    const look = async (server: string) => {
      const watched = await openWatchedFolder(folder, server);
      await watched.look();
      return { watched, ready: (await watched.look()).ready };
    };
    const { watched, ready } = await look('http://a');
    for (const file of ready) await watched.remember(file, { sha256: '1', recording_id: 'r', error: null });
    expect((await look('http://a')).ready).toEqual([]);
    expect((await look('http://b')).ready).toHaveLength(1);
    // As a crash leaves it.
    appendFileSync(join(folder, '.steno-watch.jsonl'), '{"server":"http://a","pa');
    const again = await look('http://a');
    expect([again.ready, again.watched.isKnown('1')]).toEqual([[], true]);
  });

  test('a list of what was taken that cannot be read is an error, and is not taken for empty', async () => {
    mkdirSync(join(folder, '.steno-watch.jsonl'));
    await expect(openWatchedFolder(folder, 'http://a')).rejects.toThrow('cannot be read');
  });
});

describe('steno watch', () => {
  const dataDir = newFolder();
  let server: ServerProcess;
  beforeAll(async () => {
    server = await startServer({ dataDir });
  });
  afterAll(async () => {
    await server.kill();
    rmSync(dataDir, { recursive: true, force: true });
  });

  const watch = (settings: Record<string, string> = { STENO_KEY: server.key ?? '' }, ...options: string[]) =>
    runSteno(
      ['watch', folder, '--url', server.address, '--once', '--interval', '0.05', ...options],
      settings,
    );
  const get = async (path: string) => {
    const headers = { authorization: `Bearer ${server.key}` };
    const answer = await fetch(`${server.address}/api/v1${path}`, { headers });
    return (await answer.json()) as { data: { name: string; title: string; state: string }[] };
  };

  test('makes a recording and a note of each file, once, whatever happens to the folder', async () => {
    mkdirSync(join(folder, 'today'));
    copyFileSync(fixture('jfk.ogg'), join(folder, 'today/Speech.ogg'));
    copyFileSync(fixture('newhome.wav'), join(folder, 'New home.wav'));
    writeFileSync(join(folder, 'fake.mp3'), 'This is no sound.');
    /** The server is that of other tests too. */
    const mine = (names: string[]) => names.filter((name) => !name.startsWith('Filed')).sort();
    const first = await watch();
    expect([first.code, first.stderr]).toEqual([0, '']);
    expect(first.stdout.split('\n').filter(Boolean).sort()).toEqual([
      expect.stringMatching(/^New home\.wav: recording [0-9a-f-]{36}$/),
      expect.stringMatching(/^fake\.mp3: left out\. The file is not audio/),
      expect.stringMatching(/^today\/Speech\.ogg: recording [0-9a-f-]{36}$/),
    ]);
    copyFileSync(join(folder, 'New home.wav'), join(folder, 'copy.wav'));
    expect(await watch()).toMatchObject({ code: 0, stdout: '', stderr: '' });
    rmSync(join(folder, 'copy.wav'));
    // Without its memory, the server still knows them.
    rmSync(join(folder, '.steno-watch.jsonl'));
    expect((await watch()).stdout).toContain('New home.wav: recording');
    await expect
      .poll(async () => mine((await get('/recordings')).data.map(({ name, state }) => `${name} ${state}`)))
      .toEqual(['New home done', 'Speech done']);
    const notes = (await get('/notes/list')).data.map(({ title }) => title);
    expect(mine(notes)).toEqual(['New home', 'Speech']);
  });

  test('puts the notes into a folder; one that is not there is no fault of the file', async () => {
    copyFileSync(fixture('espeak_de.wav'), join(folder, 'Filed.wav'));
    const key = { STENO_KEY: server.key ?? '' };
    const unknown = await watch(key, '--note-folder', '01890000-0000-7000-8000-000000000000');
    expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining('--note-folder')]);
    const answer = await fetch(`${server.address}/api/v1/folders/create`, {
      method: 'POST',
      headers: { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' },
      body: '{"name":"Talks"}',
    });
    const { data } = (await answer.json()) as { data: { id: string } };
    expect(await watch(key, '--note-folder', data.id)).toMatchObject({ code: 0, stderr: '' });
    const filed = async () => (await get(`/notes/list?folder_id=${data.id}`)).data.map(({ title }) => title);
    await expect.poll(filed).toEqual(['Filed']);
  });

  test('says that a key is wrong, that there is none, and that nobody answers', async () => {
    copyFileSync(fixture('newhome.wav'), join(folder, 'a.wav'));
    const wrong = await watch({ STENO_KEY: 'owk_live_nobody' });
    expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining('refuses the key')]);
    expect((await watch({})).code).toBe(2);
    const nobody = [
      'watch',
      folder,
      '--url',
      'http://127.0.0.1:9',
      '--key',
      'x',
      '--once',
      '--interval',
      '0.05',
    ];
    const lost = await runSteno(nobody);
    expect([lost.code, lost.stderr]).toEqual([
      1,
      'http://127.0.0.1:9 does not answer. a.wav is sent later.\n',
    ]);
  });
});
