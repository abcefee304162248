import { chownSync, existsSync, lchownSync, lstatSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * Who may use a file, for a message that it cannot be used: "/var/lib/steno belongs to steno (997) with mode 0700; you are
 * root (0)". Empty when not even its folder can be looked at, and on systems without owners.
 */
export function describeOwner(path: string): string {
  const me = process.geteuid?.();
  if (me === undefined) return '';
  for (let name = path; ; name = dirname(name)) {
    const found = statOrNothing(name);
    if (found) {
      const mode = `0${(found.mode & 0o777).toString(8).padStart(3, '0')}`;
      return `${name} belongs to ${userName(found.uid)} with mode ${mode}; you are ${userName(me)}`;
    }
    if (name === dirname(name)) return '';
  }
}

function statOrNothing(path: string) {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/** A user that systemd made for a service has only a number here. */
function userName(uid: number): string {
  const users = existsSync('/etc/passwd') ? readFileSync('/etc/passwd', 'utf8') : '';
  const name = users
    .split('\n')
    .find((line) => line.split(':')[2] === String(uid))
    ?.split(':')[0];
  return name === undefined ? `user ${uid}` : `${name} (${uid})`;
}

const isRoot = () => process.geteuid?.() === 0;

/** What root makes belongs to the owner of its folder, or a service of that user could not open it. */
export function inheritOwner(path: string): void {
  if (!isRoot()) return;
  const { uid, gid } = statSync(dirname(path));
  chownSync(path, uid, gid);
}

/**
 * Gives what root left in a folder to the owner of the folder. A file with a second name stays as it is: it may be one of
 * root's own, linked here by that owner.
 */
export function giveToOwner(folder: string, except: string): void {
  const owner = isRoot() ? statOrNothing(folder) : undefined;
  if (!owner || owner.uid === 0) return;
  const give = (path: string) => {
    for (const entry of readdirSync(path, { withFileTypes: true })) {
      const name = join(path, entry.name);
      const found = lstatSync(name, { throwIfNoEntry: false });
      if (found?.uid === 0 && (entry.isDirectory() || found.nlink === 1))
        lchownSync(name, owner.uid, owner.gid);
      if (entry.isDirectory() && entry.name !== except) give(name);
    }
  };
  give(folder);
}
