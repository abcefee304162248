import { runCli } from '../../src/cli/index.ts';

/** `steno <args>` in this process, with only the given settings: a process of its own takes half a second of a core. */
export async function runCommand(args: readonly string[], settings: Record<string, string> = {}) {
  const printed = { stdout: '', stderr: '' };
  const into = (name: keyof typeof printed) => ({
    write(text: string) {
      printed[name] += text;
    },
  });
  const code = await runCli(args, settings, { stdout: into('stdout'), stderr: into('stderr') });
  return { code, ...printed };
}
