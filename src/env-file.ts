import { readFileSync } from 'node:fs';
import { BadSettings } from './config.ts';
import { describeOwner } from './lib/file-owner.ts';
import { isOneLine } from './lib/text.ts';

export type Settings = Record<string, string>;

/** Reads `NAME=value` lines by the rules of systemd's EnvironmentFile, so that a service and its commands read the same. */
export function readEnvFile(file: string, fix = 'Correct --env-file or STENO_ENV_FILE.'): Settings {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (cause) {
    throw new BadSettings(`The file of settings ${file} cannot be read: ${reasonOf(cause, file)}. ${fix}`, {
      cause,
    });
  }
  const settings: Settings = {};
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (/^\s*([#;].*)?$/.test(line)) continue;
    const { name, value } = /^\s*(?<name>[A-Za-z_]\w*)=(?<value>.*)$/.exec(line)?.groups ?? {};
    if (name === undefined || value === undefined)
      throw new BadSettings(`Line ${index + 1} of ${file} is not NAME=value.`);
    settings[name] = unquoted(value.trim());
  }
  return settings;
}

/** What `readEnvFile` reads back. Raises for a value that does not fit into a line. */
export function formatEnvFile(settings: Settings): string {
  const lines = Object.entries(settings).map(([name, value]) => {
    if (!isOneLine(value) || !value.isWellFormed()) throw new BadSettings(`${name} must be one line.`);
    return `${name}="${value.replace(/["\\$`]/g, '\\$&')}"\n`;
  });
  return lines.join('');
}

function reasonOf(cause: unknown, file: string): string {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  if (code === 'ENOENT') return 'there is no such file';
  return [code, describeOwner(file)].filter(Boolean).join('; ');
}

/** Inside the quotes of the shell nothing is expanded; a backslash keeps the character after it. */
function unquoted(value: string): string {
  const { single, double } = /^'(?<single>[^']*)'$|^"(?<double>(?:[^"\\]|\\.)*)"$/.exec(value)?.groups ?? {};
  if (single !== undefined) return single;
  return double === undefined ? value.replace(/\\(.)/g, '$1') : double.replace(/\\(["\\$`])/g, '$1');
}
