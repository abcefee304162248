import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { commandFor, commands, keysOf, nameOf, shownKeys } from '../../web/src/lib/command-table.ts';
import { keyOf } from '../../web/src/lib/key-of.ts';

const press = (
  key: string,
  held: Partial<Record<'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey', true>> = {},
) =>
  nameOf({
    key,
    code: /^[a-z]$/i.test(key) ? `Key${key.toUpperCase()}` : '',
    ctrlKey: false,
    metaKey: false,
    altKey: false,
    shiftKey: false,
    ...held,
  });

test('no single letter works everywhere, and none of them records', () => {
  for (const { keys, scope } of Object.values(commands))
    if (scope === 'everywhere') expect(keys.length).toBeGreaterThan(1);
  expect(commands.record).toMatchObject({ keys: 'Alt+R', scope: 'everywhere' });
});

test('no letter opens what would take the letters after it', () => {
  const letters = Object.values(commands).flatMap(({ keys }) => (/^[a-z]$/i.test(keys) ? [keys] : []));
  // Select, play, back and forward: none of them opens a field.
  expect(letters).toEqual(['x', 'k', 'j', 'l']);
});

test('Option and a letter write ñ, ń and ® in the text fields of a Mac, where Control and Option are the command', () => {
  const known = [{ id: 'record' }, { id: 'newNote' }, { id: 'write' }] as const;
  const inText = { closest: (names: string) => (names.includes('textarea') ? {} : null) };
  const inNote = { closest: (names: string) => (names.includes('notes') ? {} : null) };
  const commandOf = (place: typeof inText, isMac: boolean, held: object, key = '®', code = 'KeyR') => {
    const pressed = { ctrlKey: false, metaKey: false, altKey: true, shiftKey: false, key, code, ...held };
    return commandFor(pressed, place, known, isMac)?.id;
  };
  expect(commandOf(inText, true, {})).toBe(undefined);
  expect(commandOf(inText, true, {}, 'Dead', 'KeyN')).toBe(undefined);
  expect(commandOf(inText, true, { shiftKey: true }, '‰')).toBe(undefined);
  expect(commandOf(inText, true, { ctrlKey: true })).toBe('record');
  expect(commandOf(inText, true, { ctrlKey: true }, 'Dead', 'KeyN')).toBe('newNote');
  // Where no text is, the letter would go nowhere.
  expect(commandOf(inNote, true, {})).toBe('record');
  // On other systems Alt and a letter write nothing, and the right Alt key is Ctrl and Alt: in Poland it writes ń.
  expect(commandOf(inText, false, {}, 'r')).toBe('record');
  expect(commandOf(inText, false, { ctrlKey: true }, 'ń', 'KeyN')).toBe(undefined);
  expect([shownKeys(commands.newNote, true), shownKeys(commands.newNote, false)]).toEqual(['⌃⌥N', 'Alt+N']);
  expect([keysOf('newNote', true), keysOf('newNote', false)]).toEqual(['Control+Alt+N', 'Alt+N']);
});

test('while an input method builds a word, its keys are no commands', () => {
  const pressed = { key: 'Enter', isComposing: false, keyCode: 13 };
  expect(keyOf(pressed)).toBe('Enter');
  expect(keyOf({ nativeEvent: pressed })).toBe('Enter');
  expect(keyOf({ ...pressed, isComposing: true })).toBe('');
  expect(keyOf({ nativeEvent: { ...pressed, isComposing: true } })).toBe('');
  // Safari ends the word before it tells of the Enter that ended it. The code of the key says so.
  expect(keyOf({ ...pressed, keyCode: 229 })).toBe('');
  const sources = globSync('web/src/**/*.{ts,tsx}').filter((file) => !file.endsWith('lib/key-of.ts'));
  expect(sources.length).toBeGreaterThan(200);
  expect(sources.filter((file) => /\bevent\.key\b/.test(readFileSync(file, 'utf8')))).toEqual([]);
});

test('within a place, each key has one meaning', () => {
  const seen = Object.values(commands).map(({ keys, scope }) => `${scope} ${keys}`);
  expect(new Set(seen).size).toBe(seen.length);
});

test('keys are named as in the table, on every keyboard', () => {
  expect(press('n')).toBe('n');
  expect(press('k', { ctrlKey: true })).toBe('Ctrl+K');
  expect(press('k', { metaKey: true })).toBe('Ctrl+K');
  expect(press('K', { ctrlKey: true, shiftKey: true })).toBe('Ctrl+Shift+K');
  expect(press('Escape')).toBe('Escape');
  // A German keyboard types / with Shift and 7, a Mac types ® with Alt and R.
  expect(press('/', { ctrlKey: true, shiftKey: true })).toBe('Ctrl+/');
  const mac = { key: '®', code: 'KeyR', altKey: true, ctrlKey: false, metaKey: false, shiftKey: false };
  expect(nameOf(mac)).toBe('Alt+R');
  // The right Alt key of Windows holds Ctrl too: it types letters and is no command.
  expect(press('@', { ctrlKey: true, altKey: true })).not.toBe('Alt+Q');
});

test('screen readers hear the names that ARIA knows', () => {
  expect([keysOf('palette'), keysOf('record'), keysOf('write')]).toEqual(['Control+K', 'Alt+R', 'Control+E']);
});
