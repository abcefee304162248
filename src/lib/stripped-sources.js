// For boxed processes. Plain JavaScript, because it must run before Node loads what reads TypeScript: that alone takes 80 ms
// of processor time, and some milliseconds for each file (docs/decisions/0144-fast.md).
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import module from 'node:module';
import { fileURLToPath } from 'node:url';

const project = new URL('../../', import.meta.url).href;
/** In the folder of packages, which boxed processes may read and never write to. */
export const strippedFile = new URL('node_modules/.packed/sources.json', project);

/** For scripts/strip-sources.js. */
export const strip = (source) => ({
  digest: hash('sha1', source),
  code: module.stripTypeScriptTypes(source),
});

/** The code of a source without its types; null if the source is another by now. */
export const codeOf = (stripped, source) =>
  stripped?.digest === hash('sha1', source) ? stripped.code : null;

/** By their place in the project; none before `npm ci` has made them. */
function strippedSources() {
  try {
    return JSON.parse(readFileSync(strippedFile, 'utf8'));
  } catch {
    return {};
  }
}

/** What is not there, or has changed since, is loaded as it is, only slower. */
export function useStrippedSources() {
  const sources = strippedSources();
  module.registerHooks({
    load(url, context, loadAsItIs) {
      const stripped = url.startsWith(project) ? sources[url.slice(project.length)] : undefined;
      const source = stripped && codeOf(stripped, readFileSync(fileURLToPath(url)));
      return source ? { format: 'module', source, shortCircuit: true } : loadAsItIs(url, context);
    },
  });
}
