import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { startAgain } from '../../src/cli/serve.ts';
import { readConfig } from '../../src/config.ts';
import { formatEnvFile, readEnvFile } from '../../src/env-file.ts';
import { isOneLine } from '../../src/lib/text.ts';
import {
  addToSettingsFile,
  readAllSettings,
  readSettingsFile,
  settingsFile,
} from '../../src/settings-file.ts';

let dataDir: string;
let file: string;
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'steno-settings-'));
  file = settingsFile(dataDir);
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

test('every value of one line is read back as it was written', () => {
  const value = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string({
      unit: fc.constantFrom('"', "'", '\\', '$', '`', '#', ' ', '=', 'a', '\t', '\u00a0', '\ufeff'),
    }),
  );
  fc.assert(
    fc.property(
      fc.dictionary(fc.stringMatching(/^STENO_[A-Z]{1,9}$/), value.filter(isOneLine)),
      (settings) => {
        const written = formatEnvFile(settings);
        writeFileSync(file, written);
        expect(readEnvFile(file)).toEqual({ ...settings });
      },
    ),
  );
});

test.each(['a\nSTENO_SIGNUP=open', 'a\rb', 'a\u2028b', 'a\0b', '\ud800'])('%j is not written', (value) => {
  expect(() => addToSettingsFile(dataDir, { STENO_MAIL_FROM: value })).toThrow(
    'STENO_MAIL_FROM must be one line.',
  );
  expect(existsSync(file)).toBe(false);
});

test('the environment comes first, then the file; an empty value counts as not set', () => {
  addToSettingsFile(dataDir, { STENO_SIGNUP: 'open', STENO_PUBLIC_URL: 'https://file.example.org' });
  const env = { STENO_DATA_DIR: dataDir, STENO_PUBLIC_URL: 'https://env.example.org', STENO_SIGNUP: '' };
  expect(readAllSettings(env)).toMatchObject({
    signUp: { kind: 'open' },
    publicUrl: 'https://env.example.org',
  });
  expect(readAllSettings({ ...env, STENO_SIGNUP: 'closed' }).signUp).toEqual({ kind: 'closed' });
  expect(readAllSettings({ ...env, STENO_SIGNUP: undefined }).signUp).toEqual({ kind: 'open' });
});

test('only its user can read it, more is added to it, and it can be put back', () => {
  writeFileSync(`${file}.new`, 'left by a killed server', { mode: 0o644 });
  const undo = addToSettingsFile(dataDir, { STENO_LLM_KEY: 'secret' });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(existsSync(`${file}.new`)).toBe(false);
  const before = readFileSync(file, 'utf8');
  const undoSecond = addToSettingsFile(dataDir, { STENO_LLM_MODEL: 'small' });
  expect(readSettingsFile(dataDir)).toEqual({ STENO_LLM_KEY: 'secret', STENO_LLM_MODEL: 'small' });
  undoSecond();
  expect(readFileSync(file, 'utf8')).toBe(before);
  undo();
  expect(existsSync(file)).toBe(false);
});

test('what cannot be a setting there is named in a sentence', () => {
  writeFileSync(file, 'STENO_SMPT_URL=smtp://x\nSTENO_DATA_DIR=/tmp\n');
  expect(() => readAllSettings({ STENO_DATA_DIR: dataDir })).toThrow(
    `STENO_SMPT_URL is no setting for ${file}; remove it there.\nSTENO_DATA_DIR is no setting for ${file}; remove it there.`,
  );
  writeFileSync(file, 'STENO_SIGNUP=perhaps\n');
  expect(() => readAllSettings({ STENO_DATA_DIR: dataDir })).toThrow('STENO_SIGNUP must be closed, open or');
});

test('a data folder that nobody may look into, or that is a file, is left to whoever opens it', () => {
  writeFileSync(file, '');
  expect(readAllSettings({ STENO_DATA_DIR: file }).dataDir).toBe(file);
  chmodSync(dataDir, 0o700);
});

test('settings with which the server cannot start give way to those of before', async () => {
  const printed = vi.spyOn(console, 'error').mockImplementation(() => {});
  addToSettingsFile(dataDir, { STENO_TRASH_DAYS: '7' });
  const read = () => readAllSettings({ STENO_DATA_DIR: dataDir });
  const before = { ...read(), port: 4711 };
  const undo = addToSettingsFile(dataDir, { STENO_PUBLIC_URL: 'https://notes.example.org' });
  const tried: unknown[] = [];
  const begun = await startAgain(
    before,
    { userId: 'ada', undo },
    read,
    async ({ publicUrl, port }, failed) => {
      tried.push([publicUrl, port, failed]);
      if (publicUrl !== '') throw new TypeError('Invalid URL smtp://user:hush@host');
      return 'running';
    },
  );
  expect(begun).toBe('running');
  expect(tried).toEqual([
    ['https://notes.example.org', 4711, undefined],
    ['', 4711, { userId: 'ada', problem: 'The log of the server says why.' }],
  ]);
  expect(readSettingsFile(dataDir)).toEqual({ STENO_TRASH_DAYS: '7' });
  writeFileSync(file, 'STENO_PORT=x');
  await startAgain(before, { userId: 'ada', undo }, read, async (_, failed) => tried.push(failed?.problem));
  expect(tried.at(-1)).toBe('STENO_PORT must be a whole number from 0 to 65535.');
  expect(printed).toHaveBeenLastCalledWith(tried.at(-1));
  printed.mockRestore();
});

test('what the file says is checked by the rules of the environment', () => {
  expect(() => readConfig({ STENO_SMTP_URL: 'https://mail.example.org' })).toThrow('STENO_SMTP_URL');
});
