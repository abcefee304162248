// After `npm ci`. npm runs it once more for the first `npx steno`, which makes a link to this folder: then everything is there,
// and a server may be using it.
import { execSync } from 'node:child_process';

if (process.env.npm_command !== 'exec') execSync('npm run build', { stdio: 'inherit' });
