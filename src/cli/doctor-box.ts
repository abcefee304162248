import { type Check, ok, warning } from '../domain/status.ts';
import { decoderProgram } from '../engines/audio/decoder.ts';
import { boxedCommand } from '../lib/box.ts';

const walls: readonly [flag: string, meaning: string][] = [
  ['--net', 'no network'],
  ['--reuid=65534', 'not root'],
  ['--no-new-privs', 'no new rights'],
  ['--fsize=0', 'no writing'],
  ['--permission', 'no files but its own'],
];

/** Which parts of the box around native code this machine allows (docs/operations.md). */
export function checkBox(): Check {
  const { execPath, execArgv } = boxedCommand({ ...decoderProgram, memoryCapBytes: 1e9 });
  const command = [execPath, ...execArgv];
  const found = walls.filter(([flag]) => command.includes(flag)).map(([, meaning]) => meaning);
  const isRoot = process.getuid?.() === 0 && !command.includes('--reuid=65534');
  return isRoot
    ? warning(
        'box',
        `${found.join(', ')}, but as root`,
        'run Steno as an ordinary user, or put it in a folder that every user can read',
      )
    : ok('box', found.join(', '));
}
