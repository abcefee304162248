import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { packedFiles } from '../../bin/packed-packages.js';
import { codeOf, strip } from '../../src/lib/stripped-sources.js';

test('packed packages are used as long as the lock is the one that they were packed from', () => {
  const folder = mkdtempSync(join(tmpdir(), 'steno-packed-'));
  const from = (digest: string) => packedFiles(pathToFileURL(`${folder}/`), () => digest);
  expect(from('this lock')).toEqual({});
  writeFileSync(join(folder, 'index.json'), JSON.stringify({ lock: 'this lock', files: { zod: 'zod.js' } }));
  expect(from('this lock')).toEqual({ zod: 'zod.js' });
  expect(from('another lock')).toEqual({});
  rmSync(folder, { recursive: true });
});

test('a source is loaded without its types as long as it is the one that they were taken from', () => {
  const stripped = strip('export const told: string = "";');
  expect(codeOf(stripped, 'export const told: string = "";')).toMatch(/^export const told +=/);
  expect(codeOf(stripped, 'export const told: number = 1;')).toBeNull();
});
