import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Config } from '../../src/config.ts';

const source = (name: string) =>
  JSON.stringify(pathToFileURL(join(import.meta.dirname, '../../src', name)).href);

/** Opens the database as the CLI does, in a process of its own: migrates, adds a person, closes. */
export function openInProcess(config: Config): Promise<{ code: number | null; stderr: string }> {
  const script = `
    const { composeServices } = await import(${source('services.ts')});
    const { addAccount } = await import(${source('features/identity/accounts/acts.ts')});
    const services = await composeServices(${JSON.stringify(config)});
    await services.act((context) => addAccount(context, { name: 'Beside', email: null, plan: 'free' }));
    await services.close();`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    stderr += text;
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, stderr }));
  });
}
