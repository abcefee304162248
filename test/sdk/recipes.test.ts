import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { projectPath } from '../../src/lib/program.ts';
import { version } from '../../src/lib/version.ts';
import { freePort } from '../support/free-port.ts';
import { newFolder } from '../support/process.ts';
import { startForSdk } from '../support/sdk.ts';
import { recording } from '../support/speech.ts';

const run = promisify(execFile);
const readme = readFileSync(projectPath('sdk/README.md'), 'utf8');
const recipes = [...readme.matchAll(/^### \d+\. (.*?)\n.*?```ts\n(.*?)```/gms)].map(
  ([, name = '', code = '']) => ({
    name,
    code,
  }),
);
const id = '[0-9a-f-]{36}';

/** What each recipe prints, in order. */
const printed = [
  new RegExp(`^${id}\n$`),
  /^Mill The roof leaks again\.\n$/,
  /^Mill\n$/,
  /^Somebody else has changed it\.\n$/,
  /^validation_error name name .*\S\n$/,
  /\w/,
  new RegExp(`^(\\d+ %\n)*100 %\n${id}\n$`),
  /\w.*\ndone\n$/s,
  new RegExp(`^note created ${id} \\S+\n$`),
  new RegExp(`^note\\.created ${id}\n$`),
];

describe('the recipes of sdk/README.md, with the package as it is published', () => {
  const folder = newFolder();
  let server: Awaited<ReturnType<typeof startForSdk>>;
  let env: Record<string, string>;
  beforeAll(async () => {
    server = await startForSdk({ config: { webhookNetworks: ['127.0.0.1'] }, webhookPollMs: 50 });
    env = { STENO_URL: server.origin, FORCE_COLOR: '0' };
    writeFileSync(join(folder, 'clip.wav'), recording({ ms: 2_000 }));
    writeFileSync(join(folder, 'meeting.wav'), recording({ ms: 30_000 }));
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
    mkdirSync(join(folder, 'node_modules'));
    // As `npm install` puts them there.
    for (const name of ['openapi-fetch', 'openapi-typescript-helpers', '@types'])
      symlinkSync(projectPath('node_modules', name), join(folder, 'node_modules', name));
    await run(process.execPath, [projectPath('sdk/build.js'), join(folder, 'node_modules/@steno/sdk')]);
    for (const [at, { code }] of recipes.entries()) writeFileSync(join(folder, `${at}.ts`), code);
  });
  afterAll(() => server.close());

  test('there are ten', () => {
    expect(recipes).toHaveLength(10);
  });

  test.each(recipes.map(({ name }, at) => [name, at] as const))('%s', async (_, at) => {
    // A person each: on PostgreSQL the changes of an earlier recipe may be told during a later one.
    const { key } = await server.steno.person();
    const body = { title: 'Mill', content: 'The roof leaks again.' };
    await server.clientOf(key).POST('/api/v1/notes/create', { body });
    const { stdout } = await run(process.execPath, [join(folder, `${at}.ts`)], {
      cwd: folder,
      env: { ...env, STENO_KEY: key, PORT: String(await freePort()) },
    });
    expect(stdout).toMatch(printed[at] ?? /^$/);
  });

  test('have the right types', async () => {
    const compilerOptions = { module: 'nodenext', strict: true, noEmit: true, types: ['node'] };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['*.ts'] }));
    const compiler = projectPath('node_modules/typescript/bin/tsc');
    await expect(run(process.execPath, [compiler, '-p', folder])).resolves.toMatchObject({ stdout: '' });
  });

  test('it has one dependency, and at most 15 kB with it', async () => {
    const dist = join(folder, 'node_modules/@steno/sdk');
    expect(JSON.parse(readFileSync(join(dist, 'package.json'), 'utf8'))).toMatchObject({
      version,
      dependencies: { 'openapi-fetch': expect.any(String) },
    });
    const bundle = await rolldown({ input: join(dist, 'index.js'), platform: 'browser' });
    const { output } = await bundle.generate({ minify: true });
    await bundle.close();
    expect(output).toHaveLength(1);
    // Nothing is left to import.
    expect(output[0]).toMatchObject({ imports: [], dynamicImports: [] });
    expect(gzipSync(output[0].code).length).toBeLessThan(15_000);
  });
});
