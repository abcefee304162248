import { rmSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createEmbeddedTranscriber } from '../../src/engines/speech/pool/embedded.ts';
import { cacheFolders } from '../../src/engines/speech/pool/model-file.ts';
import { findPrepared, forgetPrepared } from '../../src/engines/speech/prepared.ts';
import { scratchFolder, smallShape, writeWhisperFile } from '../support/whisper-file.ts';

/** An engine on a model that nobody has prepared. */
function engineOn(path: string) {
  const preparing: string[] = [];
  const engine = createEmbeddedTranscriber({
    model: path,
    workers: 2,
    onPreparing: (model) => void preparing.push(model),
  });
  onTestFinished(() => engine.close());
  return { preparing, state: () => engine.status().state, problem: () => engine.status().problem };
}

function newModel(): string {
  const path = join(scratchFolder(), 'ggml-mine.bin');
  writeWhisperFile(path, smallShape, 7);
  onTestFinished(() => forgetPrepared(path, cacheFolders()));
  return path;
}

test('a model that the operator names is prepared at its first load, once, and not at the next', async () => {
  const path = newModel();
  const first = engineOn(path);
  await expect.poll(first.state).toBe('ready');
  expect(first.preparing).toEqual(['whisper-mine']);
  const next = engineOn(path);
  await expect.poll(next.state).toBe('ready');
  expect(next.preparing).toEqual([]);
});

test('what was prepared and is gone is made again', async () => {
  const path = newModel();
  await expect.poll(engineOn(path).state).toBe('ready');
  const folders = cacheFolders();
  rmSync(findPrepared({ path, folders, checkHash: true }) ?? '', { recursive: true });
  const again = engineOn(path);
  await expect.poll(again.state).toBe('ready');
  expect(again.preparing).toEqual(['whisper-mine']);
});

test('a model that cannot be prepared is a problem that says why', async () => {
  const path = newModel();
  truncateSync(path, 2_000_000);
  const { state, problem } = engineOn(path);
  await expect.poll(state).toBe('failed');
  expect(problem()).toContain('the model file ends too early');
});
