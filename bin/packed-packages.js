// Plain JavaScript, because it must run before Node loads what reads TypeScript.
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import module from 'node:module';
import { fileURLToPath } from 'node:url';

const home = new URL('../node_modules/.packed/', import.meta.url);
const lock = new URL('../package-lock.json', import.meta.url);

/** For scripts/pack-packages.js. */
export const packedHome = fileURLToPath(home);

/** Packages of another lock are other packages. */
export const lockDigest = () => hash('sha1', readFileSync(lock));

/** The file of each packed package. None before `npm ci` has packed any, and none if packages have changed since. */
export function packedFiles(folder = home, digest = lockDigest) {
  try {
    const index = JSON.parse(readFileSync(new URL('index.json', folder), 'utf8'));
    return index.lock === digest() ? index.files : {};
  } catch {
    return {};
  }
}

/**
 * Loads packages that have hundreds of small files from one file each (decision 140). Whoever imports them gets the same
 * ones. What is not packed is loaded as it is installed.
 */
export function usePackedPackages() {
  const files = packedFiles();
  if (Object.keys(files).length === 0) return;
  module.registerHooks({
    resolve: (name, context, resolveAsInstalled) =>
      Object.hasOwn(files, name)
        ? { url: new URL(files[name], home).href, format: 'module', shortCircuit: true }
        : resolveAsInstalled(name, context),
  });
}
