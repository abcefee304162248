// After `npm ci`. npm runs it once more for the first `npx steno`, which makes a link to this folder: then everything is there,
// and a server may be using it.
import { execSync } from 'node:child_process';

const steps = [
  'npm run build --workspace web',
  'node scripts/pack-packages.js',
  'node scripts/strip-sources.js',
  'node scripts/warm-up.js',
];
if (process.env.npm_command !== 'exec') for (const step of steps) execSync(step, { stdio: 'inherit' });
