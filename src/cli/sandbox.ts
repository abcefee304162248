import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Config } from '../config.ts';

/** The settings for a sandbox: a new data folder, which is deleted when the process ends, and nothing from outside. */
export function sandboxed(config: Config): Config {
  const dataDir = mkdtempSync(join(tmpdir(), 'steno-sandbox-'));
  process.once('exit', () => rmSync(dataDir, { recursive: true, force: true }));
  const engine: Config['engine'] = { ...config.engine, engine: 'fake' };
  return { ...config, dataDir, databaseUrl: '', smtpUrl: '', engine };
}

export const sandboxWelcome = (address: string, key: string, signInPath: string) => `
Steno listens on ${address}

This is a sandbox: it starts empty, and everything in it is gone when it stops.
It finds the same words in every recording, and its language model only copies.

Your key:

  ${key}

Make any error of the API happen, for example:

  curl -i ${address}/api/v1/me \\
    -H "Authorization: Bearer ${key}" \\
    -H "Steno-Sandbox-Error: rate_limited"

Sign in to the console (this link works once, for 15 minutes):

  ${address}${signInPath}

All calls are described at ${address}/docs, the sandbox in docs/sandbox.md
`;
