import { describe, expect, test } from 'vitest';
import { createReadGuard } from '../../web/src/api/repeated-reads.ts';

/** A clock that jumps to the end of each wait. */
function guarded() {
  let now = 1_000_000;
  const waits: number[] = [];
  const warnings: string[] = [];
  const guard = createReadGuard({
    now: () => now,
    async wait(ms) {
      waits.push(ms);
      now += ms;
    },
    warn: (message) => warnings.push(message),
  });
  const read = (path: string, method = 'GET') =>
    guard({ method, url: `https://notes.example${path}`, signal: new AbortController().signal });
  return {
    waits,
    warnings,
    read,
    pass: (ms: number) => {
      now += ms;
    },
    now: () => now,
  };
}

describe('the same read, again and again', () => {
  test('five within two seconds are sent at once; the sixth waits and is logged without what was asked for', async () => {
    const { read, waits, warnings } = guarded();
    for (let time = 0; time < 5; time += 1) await read('/api/v1/notes/list?q=secret');
    expect(waits).toEqual([]);
    await read('/api/v1/notes/list?q=secret');
    expect(waits).toEqual([2_000]);
    expect(warnings).toEqual(['Read too often, so it is held back: /api/v1/notes/list']);
  });

  test('two parts that make each other ask for ever send fewer than 60 requests in five minutes', async () => {
    const { read, now, pass, warnings } = guarded();
    const end = now() + 5 * 60_000;
    let sent = 0;
    for (; now() < end; sent += 1) {
      await read('/api/v1/notes/list');
      pass(10);
    }
    expect(sent).toBeLessThan(60);
    expect(warnings).toHaveLength(1);
  });

  test('other reads, writes, and the same after a pause are not held back', async () => {
    const { read, waits, pass } = guarded();
    for (let time = 0; time < 20; time += 1) {
      await read(`/api/v1/notes/${time}`);
      await read('/api/v1/notes/search', 'POST');
    }
    for (let time = 0; time < 20; time += 1) {
      await read('/api/v1/usage');
      pass(500);
    }
    expect(waits).toEqual([]);
  });
});
