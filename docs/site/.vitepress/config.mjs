// The pages of docs/ and of the project's folder as a web site: `npm ci --prefix docs/site && npm run docs:build`, then any web
// server serves docs/site/dist. A package of its own, so that `npm ci` of Steno does not install it (docs/decisions/0218-docs-site.md).
import { cpSync, globSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig } from 'vitepress';

const root = join(import.meta.dirname, '../../..');
const site = join(root, 'docs/site');

// Copies: pages find Vue only below this package.
rmSync(join(site, 'pages'), { recursive: true, force: true });
const copied = globSync(
  ['*.md', 'docs/images/*', 'sdk/README.md', '{docs,bench,conformance,deploy,assets,src}/**/*.md'],
  {
    cwd: root,
    exclude: (path) => path.includes('node_modules') || path.startsWith('docs/site'),
  },
);
for (const path of copied) cpSync(join(root, path), join(site, 'pages', path));

const page = (text, name) => ({ text, link: `/docs/${name}` });

export default defineConfig({
  title: 'Steno',
  description: 'The open server for voice notes',
  srcDir: join(site, 'pages'),
  outDir: join(site, 'dist'),
  cacheDir: join(site, '.cache'),
  // Relative addresses would need it; set DOCS_BASE=/steno/ for a site below a path.
  base: process.env.DOCS_BASE ?? '/',
  rewrites: { 'README.md': 'index.md', ':folder(.*)/README.md': ':folder/index.md' },
  // Everything stays on the machine that serves it.
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    sidebar: [
      {
        text: 'Run it',
        items: [
          { text: 'Start', link: '/' },
          page('Install', 'install'),
          page('First steps for ten people', 'ten-people'),
          page('Settings', 'settings'),
          page('Reverse proxy', 'reverse-proxy'),
          page('Mail', 'mail'),
          page('Sign-in', 'sign-in'),
          page('Backups', 'backup'),
          page('Upgrade', 'upgrade'),
          { text: 'Changes', link: '/CHANGELOG' },
          page('As a service', 'operations'),
          page('In the console', 'admin'),
          page('Growing', 'scaling'),
          page('Troubleshooting', 'troubleshooting'),
          page('Commands', 'cli'),
        ],
      },
      {
        text: 'Use it',
        items: [
          page('The API', 'api'),
          { text: 'TypeScript client', link: '/sdk/' },
          page('Transcribe', 'transcribe'),
          page('Recordings', 'recordings'),
          page('Notes and your data', 'own-your-data'),
          page('Teams', 'teams'),
          page('Plans and policies', 'plans-and-policy'),
          page('Language models', 'language'),
          page('Your app', 'apps'),
          page('Agents', 'agents'),
          page('Assistants (MCP)', 'mcp'),
          page('Webhooks', 'webhooks'),
          page('Sandbox', 'sandbox'),
        ],
      },
      {
        text: 'Know it',
        items: [
          page('Privacy', 'privacy'),
          { text: 'Security', link: '/SECURITY' },
          page('Licences', 'licences'),
          { text: 'How it is built', link: '/ARCHITECTURE' },
          { text: 'Words', link: '/GLOSSARY' },
          { text: 'Change it', link: '/CONTRIBUTING' },
          { text: 'How fast it is', link: '/bench/' },
        ],
      },
    ],
  },
  // Files and folders of the project that are no pages; test/lib/links.test.ts checks that they are there.
  ignoreDeadLinks: [/\/docs\/decisions$/, /\/web\//, /\/LICENSE$/, /\/deploy\/proxies\//],
  buildEnd() {
    for (const path of ['LICENSE', 'openapi.json', 'compose.yaml', 'deploy'])
      cpSync(join(root, path), join(site, 'dist', path), { recursive: true });
  },
});
