import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { readConfig } from '../config.ts';
import { AppError } from '../domain/errors.ts';
import { type CliContext, command } from './command.ts';

export function openapiCommand(program: Command, { print }: CliContext): void {
  command(program, 'openapi', 'print the OpenAPI document of the API', 'openapi --check')
    .option('--write', 'write it to openapi.json')
    .option('--check', 'fail if openapi.json is out of date')
    .action(async ({ write, check }: { write?: boolean; check?: boolean }) => {
      const { openapiFile } = await import('../console/docs.ts');
      const document = await describeApi();
      if (write) writeFileSync(openapiFile, document);
      else if (!check) print(document.trimEnd());
      else if (readFileSync(openapiFile, 'utf8') !== document)
        throw new AppError('conflict', 'openapi.json is out of date. Run "npm run openapi" and commit it.');
    });
}

/** Registering the routes needs services, so this opens an empty database in a temporary folder. */
async function describeApi(): Promise<string> {
  const dataDir = mkdtempSync(join(tmpdir(), 'steno-openapi-'));
  const config = readConfig({ STENO_DATA_DIR: dataDir, STENO_LOG_LEVEL: 'silent' });
  const { compose } = await import('../compose.ts');
  const steno = await compose(config, { describe: true });
  try {
    await steno.app.ready();
    return `${JSON.stringify(steno.app.swagger(), null, 2)}\n`;
  } finally {
    await steno.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
}
