import { readdirSync, readFileSync } from 'node:fs';

/**
 * Memory of a process and all its children, in bytes; pages that several share are counted once (PSS, Linux only).
 * `Pss_Anon` leaves out pages of files: how much of them counts here depends on who else runs the same program.
 */
export function memoryOfTree(pid: number, kind: 'Pss' | 'Pss_Anon' = 'Pss'): number {
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry))) {
    const parent = Number(read(`/proc/${name}/stat`).split(') ').at(-1)?.split(' ')[1]);
    parents.set(Number(name), parent);
  }
  const isOurs = (one: number | undefined): boolean =>
    one !== undefined && one > 0 && (one === pid || isOurs(parents.get(one)));
  return [...parents.keys()].filter(isOurs).reduce((sum, one) => sum + memoryOf(one, kind), 0);
}

const memoryOf = (pid: number, kind: string) =>
  Number(new RegExp(`^${kind}:\\s+(\\d+)`, 'm').exec(read(`/proc/${pid}/smaps_rollup`))?.[1] ?? 0) * 1024;

/** Empty for a process that has just ended. */
function read(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}
