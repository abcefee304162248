// Prints the section of CHANGELOG.md for the version of package.json, or for the one that is named: the notes of a release.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');

/** Raises if the changelog does not know the version. */
export function releaseNotes(version) {
  const sections = readFileSync(join(root, 'CHANGELOG.md'), 'utf8').split(/^## /m).slice(1);
  const found = sections.find((section) => section.startsWith(`${version} `));
  if (!found) throw new Error(`CHANGELOG.md has no section "## ${version} – …".`);
  return `${found.slice(found.indexOf('\n')).trim()}\n`;
}

if (import.meta.main) {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const wanted = process.argv[2]?.replace(/^v/, '') ?? version;
  if (wanted !== version) throw new Error(`The tag says ${wanted}, package.json says ${version}.`);
  process.stdout.write(releaseNotes(wanted));
}
