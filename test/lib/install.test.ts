import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { removeUnneeded } from '../../scripts/unneeded.js';

const root = join(import.meta.dirname, '../..');

/** A folder of packages with these files, empty, after `npm ci` removed what is not needed. Returns what is left. */
function leftOf(paths: readonly string[]): string[] {
  const modules = mkdtempSync(join(tmpdir(), 'steno-modules-'));
  onTestFinished(() => rmSync(modules, { recursive: true }));
  for (const path of paths) {
    mkdirSync(join(modules, dirname(path)), { recursive: true });
    writeFileSync(join(modules, path), '');
  }
  removeUnneeded(modules);
  removeUnneeded(modules);
  const left = readdirSync(modules, { recursive: true, encoding: 'utf8' });
  return paths.filter((path) => left.includes(path));
}

test('the lock names no registry, and asks nothing of the Node that npm runs on', () => {
  const { packages }: { packages: Record<string, { resolved?: string; link?: boolean; engines?: unknown }> } =
    JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const installed = Object.entries(packages).filter(([place]) => place.includes('node_modules/'));
  expect(installed.length).toBeGreaterThan(400);
  for (const [place, { resolved, link = false, engines }] of installed)
    expect([place, link ? undefined : resolved, engines]).toEqual([place, undefined, undefined]);
});

test('builds for other systems are removed, and the one for this system stays', () => {
  const { platform, arch } = process;
  const other = arch === 'x64' ? 'arm64' : 'x64';
  const own = [
    `onnxruntime-node/bin/napi-v6/${platform}/${arch}/onnxruntime_binding.node`,
    `node-web-audio-api/node-web-audio-api.${platform}-${arch}-gnu.node`,
  ];
  const others = own.map((path) => path.replace(arch, other));
  expect(leftOf([...own, ...others])).toEqual(own);
});

test('no file that the server loads is removed', () => {
  const script = `
    for (const name of ['onnxruntime-node', 'node-web-audio-api', '@napi-rs/whisper', 'transcribe-cpp'])
      try { await import(name) } catch (error) { console.error(error.message) }
    const { sharedObjects } = process.report.getReport();
    console.log(JSON.stringify([...sharedObjects, ...Object.keys((await import('node:module')).default._cache)]))`;
  const printed = execFileSync(process.execPath, ['--input-type=module', '-e', script], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const modules = `${join(root, 'node_modules')}/`;
  const loaded = (JSON.parse(printed) as string[])
    .filter((path) => path.startsWith(modules))
    .map((path) => path.slice(modules.length));
  expect(loaded.some((path) => path.includes('libonnxruntime'))).toBe(true);
  expect(leftOf(loaded)).toEqual(loaded);
});
