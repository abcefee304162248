// Builds what is missing or older than its sources: after `git pull`, or after `npm ci --ignore-scripts`.
import { execSync } from 'node:child_process';
import { existsSync, globSync, statSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const builds = [
  {
    name: 'server',
    output: 'dist/src/main.js',
    sources: ['{src,tools,sdk/src}/**/*.*', 'scripts/build.js', 'package.json', 'package-lock.json'],
  },
  {
    name: 'console',
    output: 'web/dist/index.html',
    // package.json has the version that it shows.
    sources: ['{web/src,web/worker,sdk/src}/**/*.*', 'web/public/*', 'web/*.{html,ts,json}', 'package.json'],
  },
];
const timeOf = (path) => statSync(join(root, path)).mtimeMs;

export function ensureBuilt(names = builds.map(({ name }) => name)) {
  for (const { name, output, sources } of builds.filter((build) => names.includes(build.name))) {
    const builtAt = existsSync(join(root, output)) ? timeOf(output) : 0;
    if (globSync(sources, { cwd: root }).every((path) => timeOf(path) <= builtAt)) continue;
    try {
      execSync(`npm run --silent build:${name}`, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
    } catch (cause) {
      if (builtAt === 0) throw cause;
      console.error(`The ${name} could not be built from its newer sources. The older build is used.`);
    }
  }
}

if (import.meta.main) ensureBuilt();
