import { findPackageJSON } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** Where this file runs from: the sources, or what `npm run build` made of them. */
const isSource = import.meta.url.endsWith('.ts');

const projectFolder = dirname(findPackageJSON(import.meta.url) ?? '');

/** A file or folder of the project, wherever this code runs from. */
export const projectPath = (...path: string[]) => join(projectFolder, ...path);

/** The code that runs: what a process of the program must be able to read. */
export const codeFolders = [join(projectFolder, 'dist')];
if (isSource) codeFolders.push(join(projectFolder, 'src'), join(projectFolder, 'tools'));

/** The script of a thread or a process, such as `src/engines/speech/pool/worker.ts`. scripts/build.js lists them. */
export const scriptUrl = (source: string) =>
  pathToFileURL(projectPath(isSource ? source : join('dist', source.replace(/\.ts$/, '.js'))));
