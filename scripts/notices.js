// The licences of everything that is in the package: prints them, or gives them to scripts/package.js.
// Code of these packages is in dist/ and web/dist/, the rest is in node_modules/. Weights: docs/licences.md.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');

/** As Markdown, sorted by name. Raises if a package says no licence. */
export function notices() {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const places = Object.entries(packages)
    .filter(([place, { dev, link }]) => place.includes('node_modules/') && !dev && !link)
    // Not installed: of another system.
    .filter(([place]) => existsSync(join(root, place, 'package.json')))
    .map(([place]) => place);
  const texts = new Map();
  for (const place of places) {
    const { name, version, license, licenses } = JSON.parse(
      readFileSync(join(root, place, 'package.json'), 'utf8'),
    );
    const licence = nameOf(license ?? licenses);
    if (!licence) throw new Error(`${name} ${version} does not say its licence.`);
    texts.set(`${name} ${version}`, `## ${name} ${version}\n\n${licence}\n${textOf(place)}`);
  }
  const sorted = [...texts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, text]) => text);
  return `# Third-party notices\n\nSteno holds code of these ${sorted.length} packages. Weights: docs/licences.md.\n\n${sorted.join('\n')}`;
}

function nameOf(licence) {
  if (Array.isArray(licence)) return licence.map(nameOf).join(' OR ');
  return typeof licence === 'object' ? licence?.type : licence;
}

function textOf(place) {
  const files = readdirSync(join(root, place)).filter((name) => /^(licen[cs]e|copying|notice)/i.test(name));
  return files
    .map((name) => {
      try {
        return `\n${readFileSync(join(root, place, name), 'utf8')
          .trim()
          .replaceAll(/^/gm, '    ')}\n`;
      } catch {
        // A folder of licences.
        return '';
      }
    })
    .join('');
}

if (import.meta.main) process.stdout.write(notices());
