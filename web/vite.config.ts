import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { defineConfig, type Plugin } from 'vite';
import { scalarScript } from './scalar-script.ts';
import { serviceWorkerFile } from './service-worker-file.ts';

const server = process.env.STENO_URL ?? 'http://127.0.0.1:8787';
const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));

/** Compresses the files once, at build time, instead of at every request. */
const compressed = (): Plugin => ({
  name: 'compressed',
  apply: 'build',
  writeBundle({ dir = '' }) {
    for (const name of readdirSync(join(dir, 'assets'))) {
      // Fonts are compressed already.
      if (/\.woff2?$/.test(name)) continue;
      const file = join(dir, 'assets', name);
      const content = readFileSync(file);
      writeFileSync(`${file}.gz`, gzipSync(content, { level: 9 }));
      // The highest quality takes too long for the 4 MB of the API reference.
      const quality = content.length > 1e6 ? 9 : 11;
      writeFileSync(
        `${file}.br`,
        brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_QUALITY]: quality } }),
      );
    }
  },
});

// Always build for production, also under a test runner that sets NODE_ENV=test: React's development build is half as
// large again.
if (process.argv.includes('build')) process.env.NODE_ENV = 'production';

export default defineConfig({
  plugins: [scalarScript(), serviceWorkerFile(), compressed()],
  define: { __STENO_VERSION__: JSON.stringify(version) },
  build: {
    target: 'es2023',
    // Says which file needs which; a test adds up what the first load takes.
    manifest: true,
    // The page's Content-Security-Policy forbids `data:` scripts and fonts, and files can be cached forever.
    assetsInlineLimit: 0,
    // Every browser that the target allows supports modulepreload.
    modulePreload: { polyfill: false },
    rolldownOptions: {
      input: ['index.html', 'docs.html'].map((page) => join(import.meta.dirname, page)),
      // Libraries mark files with "use client" for server rendering; each would print a warning. Nor need everybody who installs
      // Steno know which plugin took most of the time.
      checks: { moduleLevelDirective: false, pluginTimings: false },
      // What six or more screens share is one file: four requests less at first load. With four, 1.6 kB came that others need.
      output: {
        codeSplitting: {
          groups: [
            // What the first paint needs is loaded alone, before all else.
            { name: 'first', test: /\/src\/(main|app\/first-paint)\./, priority: 1 },
            { name: 'shared', test: /\/src\/(lib|resources)\//, minShareCount: 6 },
          ],
        },
      },
    },
  },
  server: {
    // The server compares Origin with Host, so the proxy must pass the page's host on unchanged.
    proxy: Object.fromEntries(
      ['/api', '/docs', '/healthz', '/readyz'].map((path) => [path, { target: server, changeOrigin: false }]),
    ),
  },
});
