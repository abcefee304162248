import { expect, test } from 'vitest';
import { commands, keysOf, nameOf } from '../../web/src/lib/command-table.ts';

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
  expect([keysOf('palette'), keysOf('record'), keysOf('write')]).toEqual(['Control+K', 'Alt+R', 'e']);
});
