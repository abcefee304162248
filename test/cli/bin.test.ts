import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeDatabase, newFolder, startServer } from '../support/process.ts';

const root = join(import.meta.dirname, '../..');
let folder: string;
beforeAll(async () => {
  folder = newFolder();
  await makeDatabase(join(folder, 'data'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function run(command: string, args: string[], env: Record<string, string> = {}) {
  const settings = { STENO_DATA_DIR: join(folder, 'data'), ...env };
  const ended = spawnSync(command, args, {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, ...settings },
  });
  return { code: ended.status, stdout: ended.stdout, stderr: ended.stderr };
}

describe('in a checkout', () => {
  test.each([
    ['npx steno', ['npx', 'steno']],
    ['npm run steno --', ['npm', 'run', '--silent', 'steno', '--']],
  ])('%s runs the command line', (_, [command = '', ...args]) => {
    // npm prepares the folder again for the first `npx steno`; a server may be using what is there.
    const builtAt = () => statSync(join(root, 'web/dist/index.html')).mtimeMs;
    const before = builtAt();
    const ended = run(command, [...args, 'users', 'add', '--name', 'Ada', '--json']);
    expect(builtAt()).toBe(before);
    expect(ended.code).toBe(0);
    expect(JSON.parse(ended.stdout)).toMatchObject({ name: 'Ada' });
  });

  test('npm passes the exit code on', () => {
    expect(run('npm', ['run', '--silent', 'steno', '--', 'users', 'remove', 'nobody', '--yes']).code).toBe(3);
  });
});

describe('started by an older Node', () => {
  test('it says in one sentence what to do', () => {
    // The same runtime that tells another version: what the program can see of an older Node.
    const older = join(folder, 'older.cjs');
    writeFileSync(
      older,
      "Object.defineProperty(process, 'version', { value: 'v20.1.0' });" +
        "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.1.0' } });",
    );
    const ended = run(process.execPath, ['--require', older, join(root, 'bin/steno.js'), 'users', 'list']);
    expect(ended).toMatchObject({ code: 1, stdout: '' });
    expect(ended.stderr).toMatch(/^Steno needs Node 24, but this is v20\.1\.0\. Use "npm start"[^\n]+\.\n$/);
  });
});

describe('a fault', () => {
  test('is traced to its source, though the build runs', () => {
    const failing = `data:text/javascript,process.umask = () => { throw new Error('forbidden'); };`;
    const ended = run(process.execPath, ['--import', failing, join(root, 'bin/steno.js'), 'users', 'list']);
    expect(ended.stderr).toMatch(/Error: forbidden\n[\s\S]* at .*src\/main\.ts:\d+:\d+/);
  });
});

describe.runIf(process.platform === 'linux')('the server', () => {
  test('has its V8 flags from the start, in the process that was started', async () => {
    const server = await startServer({ dataDir: join(folder, 'flags') });
    const started = readFileSync(`/proc/${server.pid}/cmdline`, 'utf8').split('\0');
    await server.stop();
    expect(started).toEqual(expect.arrayContaining(['--expose-gc', '--heap-growing-percent=50']));
  });
});
