import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { defineConfig, type Plugin } from 'vite';

const server = process.env.STENO_URL ?? 'http://127.0.0.1:8787';
const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));

/** Compressed once here instead of at every request. */
const compressed = (): Plugin => ({
  name: 'compressed',
  apply: 'build',
  writeBundle({ dir = '' }) {
    for (const name of readdirSync(join(dir, 'assets'))) {
      const file = join(dir, 'assets', name);
      const content = readFileSync(file);
      writeFileSync(`${file}.gz`, gzipSync(content, { level: 9 }));
      writeFileSync(`${file}.br`, brotliCompressSync(content));
    }
  },
});

// What is built is what people get, also when a test runner builds it, which says NODE_ENV=test: React would bring its
// development tools, half as much again.
if (process.argv.includes('build')) process.env.NODE_ENV = 'production';

export default defineConfig({
  plugins: [compressed()],
  define: { __STENO_VERSION__: JSON.stringify(version) },
  build: {
    target: 'es2023',
    // The policy of the served page forbids `data:` scripts and fonts; files are also cached for good.
    assetsInlineLimit: 0,
    // Every browser the target allows knows modulepreload.
    modulePreload: { polyfill: false },
    rolldownOptions: {
      // "use client" is for servers that render React; one warning per file of every library that has it.
      checks: { moduleLevelDirective: false },
    },
  },
  server: {
    // The server compares Origin with Host, so the host of the page must reach it unchanged.
    proxy: Object.fromEntries(
      ['/api', '/docs', '/healthz', '/readyz'].map((path) => [path, { target: server, changeOrigin: false }]),
    ),
  },
});
