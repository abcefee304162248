import { execFileSync } from 'node:child_process';
import { globSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { version } from '../../src/lib/version.ts';
import { freePort } from '../support/free-port.ts';

const root = join(import.meta.dirname, '../..');

test('the package starts and transcribes in an empty folder, without git, build, network or scripts', async () => {
  onTestFinished(() => {
    for (const path of [...globSync('steno-*.tgz', { cwd: root }), 'package'])
      rmSync(join(root, path), { recursive: true, force: true });
  });
  execFileSync(process.execPath, [join(root, 'scripts/package.js')], { stdio: 'ignore' });
  const tarball = `steno-${version}-${process.platform}-${process.arch}.tgz`;
  const printed = execFileSync(join(root, 'scripts/ci/try-package.sh'), [join(root, tarball)], {
    encoding: 'utf8',
    env: {
      PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
      HOME: process.env.HOME,
      STENO_TRY_PORT: String(await freePort()),
    },
  });
  expect(printed).toContain(`"version":"${version}"`);
  expect(printed).toContain('Transcribed:');
});
