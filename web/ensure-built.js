// `npm ci` builds the console. When it could not (--ignore-scripts), the first start does.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

const { dirname } = import.meta;
if (!existsSync(join(dirname, 'dist/index.html')))
  execFileSync('npm', ['run', 'build'], {
    cwd: dirname,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
