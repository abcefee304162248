import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');

test('every promise of SECURITY.md names tests that are there', () => {
  const page = readFileSync(join(root, 'SECURITY.md'), 'utf8');
  const start = page.indexOf('## What we promise');
  const promises = page
    .slice(start, page.indexOf('\n## ', start + 1))
    .split('\n')
    .filter((line) => line.startsWith('| ') && !line.startsWith('| promise'));
  expect(promises.length).toBeGreaterThan(15);
  for (const promise of promises) {
    const files = [...promise.matchAll(/`(test\/[\w./-]+)`/g)].map(([, file = '']) => file);
    expect(files, promise).not.toEqual([]);
    for (const file of files) expect([file, existsSync(join(root, file))]).toEqual([file, true]);
  }
});
