import { spawnSync } from 'node:child_process';
import { chmodSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { readEnvFile } from '../../src/env-file.ts';
import { createDatabase } from '../support/postgres.ts';
import { makeDatabase, newFolder, runSteno } from '../support/process.ts';

const root = join(import.meta.dirname, '../..');
let folder: string;
let dataDir: string;
let file: string;
beforeAll(async () => {
  folder = newFolder();
  dataDir = join(folder, 'data');
  file = join(folder, 'steno.env');
  await makeDatabase(dataDir);
  writeFileSync(file, `# of the service\nSTENO_DATA_DIR=${dataDir}\n`);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('a file of settings', () => {
  test('is read as systemd reads it', () => {
    const odd = join(folder, 'odd.env');
    writeFileSync(
      odd,
      [
        '# a comment',
        '; another',
        '',
        'A=plain # no comment',
        "B='two words'",
        'C="say \\"hi\\""',
        ' D = no',
      ].join('\n'),
    );
    expect(() => readEnvFile(odd)).toThrow(`Line 7 of ${odd} is not NAME=value.`);
    writeFileSync(
      odd,
      `A=plain # no comment\r\nB='two words'\nC="say \\"hi\\""\nD=postgres://u:p#1$x@h/db?a=b\nE=\n`,
    );
    expect(readEnvFile(odd)).toEqual({
      A: 'plain # no comment',
      B: 'two words',
      C: 'say "hi"',
      D: 'postgres://u:p#1$x@h/db?a=b',
      E: '',
    });
  });

  test.each([
    ['before the command', ['--env-file', 'FILE', 'users', 'list'], {}],
    ['after it', ['users', 'list', '--env-file', 'FILE'], {}],
    ['in the environment', ['users', 'list'], { STENO_ENV_FILE: 'FILE' }],
  ])('named %s is used', async (_, args, env) => {
    const named = (text: string) => text.replace('FILE', file);
    const settings = Object.fromEntries(Object.entries(env).map(([name, value]) => [name, named(value)]));
    const elsewhere = await runSteno(args.map(named), settings);
    expect(elsewhere).toMatchObject({ code: 0, stderr: '' });
  });

  test('gives way to the environment', async () => {
    const ended = await runSteno(['users', 'list', '--env-file', file], {
      STENO_DATA_DIR: join(folder, 'no'),
    });
    expect(ended).toMatchObject({ code: 3, stderr: expect.stringContaining(join(folder, 'no')) });
  });

  test('that cannot be read is named, with the reason', async () => {
    expect(await runSteno(['users', 'list', '--env-file', join(folder, 'none')])).toMatchObject({
      code: 2,
      stdout: '',
      stderr: `The file of settings ${join(folder, 'none')} cannot be read: there is no such file. Correct --env-file or STENO_ENV_FILE.\n`,
    });
  });

  test('is used by the program for hosts with systemd, wherever it is linked', () => {
    const linked = join(folder, 'steno');
    symlinkSync(join(root, 'deploy/steno'), linked);
    const run = (env: Record<string, string>, ...args: string[]) =>
      spawnSync(linked, ['users', 'list', '--json', ...args], {
        encoding: 'utf8',
        env: { PATH: process.env.PATH, ...env },
      });
    const found = { status: 0, stdout: '[]\n' };
    expect(run({ STENO_ENV_FILE: file })).toMatchObject(found);
    // The folder of the service is not used when the file that was named has its own.
    expect(run({}, '--env-file', file)).toMatchObject(found);
    expect(run({}, `--env-file=${file}`)).toMatchObject(found);
    expect(run({ STENO_ENV_FILE: join(folder, 'none') }).stderr).toContain('there is no such file');
  });

  test.runIf(process.getuid?.() === 0)('that belongs to somebody else is told with owner and mode', () => {
    chmodSync(file, 0o600);
    chmodSync(folder, 0o755);
    const ended = spawnSync(
      'setpriv',
      ['--reuid=1234', '--regid=1234', '--clear-groups', join(root, 'deploy/steno'), 'users', 'list'],
      { encoding: 'utf8', env: { PATH: process.env.PATH, STENO_ENV_FILE: file } },
    );
    expect(ended.stderr).toContain(`EACCES; ${file} belongs to root (0) with mode 0600; you are user 1234.`);
  });
});

describe('no command makes a database', () => {
  const commands = [
    ['users', 'list'],
    ['users', 'add', '--name', 'Ada'],
    ['keys', 'list'],
    ['pause'],
    ['backup', 'x'],
    ['export', 'x'],
  ];
  test.each(commands)('steno %s %s where there is none', async (...args) => {
    const empty = newFolder();
    const ended = await runSteno(args, { STENO_DATA_DIR: empty });
    expect(ended).toMatchObject({ code: 3, stdout: '' });
    expect(ended.stderr).toMatch(/^There is no database in [^\n]+--env-file[^\n]+\n$/);
    expect(readdirSync(empty)).toEqual([]);
    rmSync(empty, { recursive: true });
  });

  test.runIf(process.env.STENO_TEST_DATABASES !== 'sqlite')('in an empty PostgreSQL', async () => {
    const database = await createDatabase(inject('postgresUrl'));
    const settings = { STENO_DATA_DIR: folder, STENO_DATABASE_URL: database.url };
    const ended = await runSteno(['users', 'list'], settings);
    expect(ended).toMatchObject({ code: 3, stdout: '' });
    expect(ended.stderr).toMatch(/^This PostgreSQL database is empty: [^\n]+\n$/);
    await database.drop();
  });
});
