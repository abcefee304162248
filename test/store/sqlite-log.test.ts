import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { connect } from '../../src/platform/database/sqlite-connection.ts';
import { createLogEraser } from '../../src/platform/database/sqlite-log.ts';

let folder: string;
let file: string;
let writer: ReturnType<typeof connect>;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'steno-log-'));
  file = join(folder, 'steno.db');
  writer = connect(file);
  writer.exec('create table texts (text text)');
  writer.exec("insert into texts values ('a text that goes: quicksilver')");
  writer.exec('delete from texts');
});
afterEach(() => {
  writer.close();
  rmSync(folder, { recursive: true });
});

const filesWith = (text: string) =>
  readdirSync(folder).filter((name) => readFileSync(join(folder, name)).includes(text));

test('a deleted text is in the log until that is emptied, a moment later', async () => {
  expect(filesWith('quicksilver')).toEqual(['steno.db-wal']);
  createLogEraser(file).erase();
  await expect.poll(() => filesWith('quicksilver')).toEqual([]);
});

test('while somebody reads it waits, and does it when they are done', async () => {
  const reader = connect(file);
  reader.exec('begin');
  reader.prepare('select count(*) from texts').get();
  writer.exec("insert into texts values ('a text that stays')");
  createLogEraser(file).erase();
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect(filesWith('quicksilver')).toEqual(['steno.db-wal']);
  reader.exec('commit');
  await expect.poll(() => filesWith('quicksilver')).toEqual([]);
  expect(writer.prepare('select text from texts').all()).toEqual([{ text: 'a text that stays' }]);
  reader.close();
});

test('a process that ends does it at once, if something was deleted', () => {
  const eraser = createLogEraser(file);
  eraser.close();
  expect(filesWith('quicksilver')).toEqual(['steno.db-wal']);
  eraser.erase();
  eraser.close();
  expect(filesWith('quicksilver')).toEqual([]);
});

test('a database that cannot be opened just now stops nobody', () => {
  vi.useFakeTimers();
  try {
    const eraser = createLogEraser(join(tmpdir(), 'no such folder', 'steno.db'));
    eraser.erase();
    expect(() => vi.advanceTimersByTime(60_000)).not.toThrow();
    eraser.erase();
    expect(() => eraser.close()).not.toThrow();
  } finally {
    vi.useRealTimers();
  }
});
