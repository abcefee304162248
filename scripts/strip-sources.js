// Takes the types out of what boxed processes load, for src/lib/stripped-sources.js. Runs after `npm ci`. Nothing depends on it.
import { globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { strip, strippedFile } from '../src/lib/stripped-sources.js';

const project = fileURLToPath(new URL('../', import.meta.url));
const paths = globSync('src/{audio,domain,engines,lib}/**/*.ts', { cwd: project });
const sources = paths.map((path) => [
  path.replaceAll('\\', '/'),
  strip(readFileSync(project + path, 'utf8')),
]);
mkdirSync(new URL('./', strippedFile), { recursive: true });
writeFileSync(strippedFile, JSON.stringify(Object.fromEntries(sources)));
