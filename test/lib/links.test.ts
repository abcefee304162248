import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');
const pages = globSync(['*.md', '{docs,bench,conformance,deploy,src,assets}/**/*.md'], {
  cwd: root,
  exclude: (path) => /node_modules|docs\/site/.test(path),
});

const withoutCode = (text: string) => text.replace(/^( *)```[\s\S]*?^\1```$/gm, '').replace(/`[^`\n]*`/g, '');

/** As code hosts and VitePress make them of headings: small letters, hyphens for spaces, a number for the second of its kind. */
function anchorsOf(path: string): Set<string> {
  const anchors = new Set<string>();
  const text = readFileSync(path, 'utf8').replace(/^( *)```[\s\S]*?^\1```$/gm, '');
  for (const [, heading = ''] of text.matchAll(/^#{1,6} +(.+)$/gm)) {
    const slug = heading
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replaceAll(' ', '-');
    let unique = slug;
    for (let count = 1; anchors.has(unique); count += 1) unique = `${slug}-${count}`;
    anchors.add(unique);
  }
  return anchors;
}

test('every link of every page leads somewhere', () => {
  expect(pages.length).toBeGreaterThan(100);
  const broken = pages.flatMap((page) => {
    const text = withoutCode(readFileSync(join(root, page), 'utf8'));
    return [...text.matchAll(/\]\(([^)\s]+)\)|(?:src|href)="([^"]+)"/g)]
      .map(([, markdown, html]) => markdown ?? html ?? '')
      .filter((link) => !/^(https?|mailto):/.test(link))
      .filter((link) => !leads(page, link))
      .map((link) => `${page}: ${link}`);
  });
  expect(broken).toEqual([]);
});

function leads(page: string, link: string): boolean {
  const [path = '', anchor] = decodeURI(link).split('#');
  const target = path === '' ? join(root, page) : resolve(root, dirname(page), path);
  if (!existsSync(target)) return false;
  return anchor === undefined || !statSync(target).isFile() || anchorsOf(target).has(anchor);
}

test('each page of docs/ is in the side bar of the site, and each entry of it is a page', () => {
  const config = readFileSync(join(root, 'docs/site/.vitepress/config.mjs'), 'utf8');
  const listed = [...config.matchAll(/page\('[^']+', '([\w-]+)'\)/g)].map(([, name]) => `${name}.md`);
  expect(listed.sort()).toEqual(globSync('*.md', { cwd: join(root, 'docs') }).sort());
});
