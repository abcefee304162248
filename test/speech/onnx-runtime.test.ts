import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const runtime = join(import.meta.dirname, '../../src/engines/speech/onnx-runtime.ts');

// ONNX Runtime keeps reports for its maker, and a number for the machine, in these folders before it sends them.
test('ONNX Runtime reports nothing to its maker', () => {
  const home = mkdtempSync(join(tmpdir(), 'steno-home-'));
  const open = `const { InferenceSession } = await import(${JSON.stringify(runtime)});
    await InferenceSession.create(new Uint8Array(1)).catch(() => {});`;
  try {
    execFileSync(process.execPath, ['--input-type=module', '--eval', open], {
      env: { HOME: home, TMPDIR: home },
      stdio: 'ignore',
    });
    expect(readdirSync(home, { recursive: true })).toEqual([]);
  } finally {
    rmSync(home, { recursive: true });
  }
});
