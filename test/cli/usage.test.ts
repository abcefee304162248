import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createProgram } from '../../src/cli/index.ts';
import { runCommand } from '../support/commands.ts';
import { makeDatabase, newFolder } from '../support/process.ts';

let dataDir: string;
beforeAll(async () => {
  dataDir = newFolder();
  await makeDatabase(dataDir);
});
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

const long = 'x'.repeat(101);

describe('wrong usage is one clear sentence and exit code 2', () => {
  test.each([
    [['users', 'add', '--name', ''], '--name must have 1 to 100 characters.'],
    [['users', 'add', '--name', '  '], '--name must have 1 to 100 characters.'],
    [['users', 'add', '--name', long], '--name must have 1 to 100 characters.'],
    [['users', 'add', '--name', 'a\u001b[31m'], '--name must not contain control characters.'],
    [['users', 'add', '--name', 'A', '--email', 'nobody'], '--email must be an e-mail address'],
    [['users', 'add', '--name', 'A', '--plan', 'gold'], '--plan must be one of free, pro, business.'],
    [['users', 'set-plan', 'someone', 'gold'], 'The plan must be one of free, pro, business.'],
    [['keys', 'create', '--name', 'k', '--expires-in-days', '0'], '--expires-in-days must be a whole number'],
    [['keys', 'create', '--name', 'k', '--expires-in-days', '1.5'], '--expires-in-days must be a whole'],
    [['keys', 'create', '--name', 'k', '--expires-in-days', '1e9'], '--expires-in-days must be a whole'],
    [
      ['keys', 'create', '--name', 'k', '--scopes', 'notes:read,nope'],
      '"nope" is not a scope of a personal key',
    ],
    [['keys', 'create', '--name', 'k', '--scopes', 'workspace:*'], 'is not a scope of a personal key'],
    [['keys', 'create', '--name', 'k'], 'There is no user yet'],
    [['keys', 'list', '--user', 'a', '--workspace', 'b'], 'Use --user or --workspace, not both.'],
    [['spaces', 'add', '--name', 'General'], 'There is no workspace yet'],
    [['spaces', 'rename', 'id', long], 'The name must have 1 to 100 characters.'],
    [['keys', 'create'], "error: required option '--name <name>' not specified"],
    [['keys', 'revoke'], "error: missing required argument 'id'"],
    [['keys', 'revoke', 'id', '--loud'], "error: unknown option '--loud'"],
    [['sing'], "error: unknown command 'sing'"],
  ])('steno %j', async (args, message) => {
    const ended = await runCommand(args, { STENO_DATA_DIR: dataDir });
    expect(ended).toMatchObject({ code: 2, stdout: '' });
    expect(ended.stderr).toContain(message);
    expect(ended.stderr).toMatch(/^[^\n]+\n(\(add --help to see how to use it\)\n)?$/);
  });

  test('what does not exist is refused with exit code 3', async () => {
    for (const args of [
      ['users', 'set-plan', 'nobody@example.org', 'free'],
      ['keys', 'revoke', 'no-such-key'],
      ['keys', 'create', '--name', 'k', '--workspace', 'no-such-workspace'],
      ['spaces', 'archive', 'no-such-space'],
    ]) {
      const ended = await runCommand(args, { STENO_DATA_DIR: dataDir });
      expect(ended).toMatchObject({ code: 3, stdout: '' });
      expect(ended.stderr).toMatch(/^\w+ not found\n$/);
    }
  });
});

describe('help', () => {
  function everyCommand(command: Command, path: string[] = []): string[][] {
    return [path, ...command.commands.flatMap((child) => everyCommand(child, [...path, child.name()]))];
  }
  const program = () =>
    createProgram({
      env: {},
      print: () => {},
      config: () => {
        throw new Error('--help must not need settings');
      },
    });
  const paths = everyCommand(program());

  async function helpOf(path: string[]): Promise<string> {
    let printed = '';
    const root = program();
    const capture = (command: Command) => {
      command.configureOutput({
        writeOut: (text) => {
          printed += text;
        },
      });
      for (const child of command.commands) capture(child);
    };
    capture(root);
    await expect(root.parseAsync([...path, '--help'], { from: 'user' })).rejects.toMatchObject({
      exitCode: 0,
    });
    return printed;
  }

  test.each(paths)('steno %s %s --help shows an example', async (...path) => {
    expect(await helpOf(path)).toMatch(/\nExample:\n {2}npx steno \w/);
  });

  test('docs/cli.md has every command', () => {
    const page = readFileSync(join(import.meta.dirname, '../../docs/cli.md'), 'utf8');
    for (const path of paths) expect(page).toContain(['steno', ...path].join(' '));
  });

  test('the program itself says the exit codes, with broken settings too', async () => {
    const help = await runCommand(['--help'], { STENO_PORT: 'broken' });
    expect(help).toMatchObject({ code: 0, stderr: '' });
    for (const code of [0, 1, 2, 3]) expect(help.stdout).toMatch(new RegExp(`^ {2}${code} {2}\\w`, 'm'));
  });

  test('--version says which one it is', async () => {
    expect(await runCommand(['--version'])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
    });
  });
});
