import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { boxedCommand } from '../../../lib/box.ts';
import { scriptUrl } from '../../../lib/program.ts';
import type { ModelFile } from './model-file.ts';

const script = scriptUrl('tools/prepare-model/index.ts');

export interface PrepareOptions {
  memoryCapBytes: number;
  /** In milliseconds. */
  timeout?: number;
  signal?: AbortSignal;
}

/**
 * Runs tools/prepare-model in a process that may write to these folders, and to nothing else. `npm ci` and `steno models
 * add` have done so already, unless the operator named another file or the folder is gone. Raises what the tool said.
 */
export async function prepareModel(
  { path, sha256 }: Pick<ModelFile, 'path' | 'sha256'>,
  folders: readonly string[],
  { memoryCapBytes, ...options }: PrepareOptions,
): Promise<void> {
  const { execPath, execArgv } = boxedCommand({ script, read: [path], write: folders, memoryCapBytes });
  const into = folders.flatMap((folder) => ['--into', folder]);
  const args = [path, ...(sha256 === null ? [] : ['--sha256', sha256]), ...into];
  try {
    await promisify(execFile)(execPath, [...execArgv, fileURLToPath(script), ...args], {
      env: {},
      killSignal: 'SIGKILL',
      ...options,
    });
  } catch (cause) {
    const said = cause instanceof Error && 'stderr' in cause ? String(cause.stderr).trim() : '';
    throw new Error(said || `the model could not be prepared: ${cause}`, { cause });
  }
}
