import { execFileSync } from 'node:child_process';
import { existsSync, globSync, statSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');

/** Vitest's global set-up: builds the page when a source is newer than it, so that no test looks at yesterday's. */
export function setup(): void {
  const built = join(root, 'web/dist/index.html');
  const builtAt = existsSync(built) ? statSync(built).mtimeMs : 0;
  const sources = globSync(['web/{src,worker}/**/*.*', 'web/public/*', 'web/*.{html,ts,json}'], {
    cwd: root,
  });
  if (sources.every((source) => statSync(join(root, source)).mtimeMs <= builtAt)) return;
  execFileSync('npm', ['run', 'build', '--workspace', 'web'], { cwd: root, stdio: 'ignore' });
}
