import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inheritOwner } from '../lib/file-owner.ts';
import { codeOf, logLevels } from '../lib/log.ts';

export interface Welcome {
  /** Where it listens. */
  bound: string;
  /** For links. */
  address: string;
  /** Only at the first start. */
  owner?: { id: string; key: string; signInPath: string } | undefined;
}

/** On a terminal. What is secret is shown once. */
export function welcome({ bound, address, owner }: Welcome): string {
  const reached = address === bound ? '' : `\nPeople reach it at ${address}`;
  const about = `\nAll calls are described at ${address}/docs`;
  if (!owner)
    return `\nSteno listens on ${bound}${reached}${about}\nFor another key: npm run steno -- keys create --name "My laptop"\n`;
  return `\nSteno listens on ${bound}${reached}\n\n${secrets(address, owner)}${about}\n`;
}

/**
 * Without a terminal, standard output is the log, and a reader of the log must not find a key there. So the lines are like a
 * log, whatever its level, and the secrets are in a file.
 */
export function welcomeLines({ bound, address, owner }: Welcome, dataDir: string): string {
  const line = (fields: object, msg: string) =>
    JSON.stringify({ level: logLevels.info, time: Date.now(), ...fields, msg });
  const lines = [line({ address }, `Steno listens on ${bound}`)];
  if (owner) {
    const file = join(dataDir, 'first-sign-in');
    try {
      mkdirSync(dataDir, { recursive: true, mode: 0o700 });
      // A new file: an old one might be open to others.
      rmSync(file, { force: true });
      writeFileSync(file, secrets(address, owner), { mode: 0o600, flag: 'wx' });
      inheritOwner(file);
      lines.push(
        line({ file }, 'The first key and a link to sign in are in this file; delete it when you have both'),
      );
    } catch (cause) {
      lines.push(
        line(
          { file, code: codeOf(cause) },
          'The first key could not be written to this file; make another with "steno keys create"',
        ),
      );
    }
  }
  return lines.join('\n');
}

const secrets = (address: string, { id, key, signInPath }: NonNullable<Welcome['owner']>) => `\
Your key (it will not be shown again):

  ${key}

Write your first note:

  curl ${address}/api/v1/notes/create \\
    -H "Authorization: Bearer ${key}" \\
    -H "Content-Type: application/json" \\
    -d '{"title": "Hello", "content": "My first note"}'

Sign in to the console (this link works once, for 15 minutes):

  ${address}${signInPath}

For another link: npm run steno -- users sign-in-link ${id}
`;
