import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { minify, type Plugin, transformWithOxc } from 'vite';

type Manifest = Record<
  string,
  { file: string; imports?: string[]; dynamicImports?: string[]; css?: string[]; assets?: string[] }
>;

const source = join(import.meta.dirname, 'worker/service-worker.ts');
/** The other alphabets are loaded when they are shown. */
const usualFont = /-latin-(wght|600)-normal-[^/]*\.woff2$/;

/** Writes sw.js: the service worker, with the names of all files that the console needs without a connection. */
export const serviceWorkerFile = (): Plugin => ({
  name: 'service-worker-file',
  apply: 'build',
  async writeBundle({ dir = '' }) {
    const page = readFileSync(join(dir, 'index.html'), 'utf8');
    const script = /src="\/(assets\/[^"]+\.js)"/.exec(page)?.[1] ?? '';
    const manifest: Manifest = JSON.parse(readFileSync(join(dir, '.vite/manifest.json'), 'utf8'));
    const files = ['/icon.svg', ...filesBehind(manifest, script)];
    const id = createHash('sha256').update(page).update(files.join()).digest('hex').slice(0, 12);
    const build = JSON.stringify({ id, page: '/', script, files });
    const { code } = await transformWithOxc(readFileSync(source, 'utf8'), source);
    const small = await minify('sw.js', `const build = ${build};\n${code}`, { module: true });
    writeFileSync(join(dir, 'sw.js'), small.code);
  },
});

/** Everything that the console's first script may ask for sooner or later; not the API reference, which is 4 MB. */
function filesBehind(manifest: Manifest, script: string): string[] {
  const found = new Set<string>();
  const add = (key: string | undefined) => {
    const chunk = key === undefined ? undefined : manifest[key];
    if (!chunk || found.has(`/${chunk.file}`)) return;
    for (const file of [chunk.file, ...(chunk.css ?? [])]) found.add(`/${file}`);
    for (const file of chunk.assets ?? []) if (usualFont.test(file)) found.add(`/${file}`);
    for (const next of [...(chunk.imports ?? []), ...(chunk.dynamicImports ?? [])]) add(next);
  };
  add(Object.keys(manifest).find((key) => manifest[key]?.file === script));
  return [...found];
}
