import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openapiFile } from '../../src/console/docs.ts';
import { projectPath } from '../../src/lib/program.ts';
import { startSteno, type TestSteno } from '../support/steno.ts';

const guide = readFileSync(projectPath('docs/api.md'), 'utf8');
const snippets = [...guide.matchAll(/```sh\n(.*?)```/gs)].map(([, code = '']) => code);

/** What each snippet of docs/api.md must print, in order. */
const printed = [
  /"data":\{/,
  /"has_more":.*"next_cursor":/,
  /"title":null,"preview":"/,
  /"status":201.*"status":400.*"param":"content"/,
  /limt is unknown here/,
  /201 Created.*201 Created.*idempotency-replayed: true/is,
  /^304\n200\n409\n$/,
  /"code":"validation_error"/,
];

describe('docs/api.md', () => {
  let steno: TestSteno;
  let env: Record<string, string>;
  beforeAll(async () => {
    steno = await startSteno();
    const { key } = await steno.person();
    for (const content of ['One', 'Two'])
      await steno.call('POST', '/notes/create', { key, body: { content } });
    const origin = await steno.app.listen({ host: '127.0.0.1', port: 0 });
    env = { PATH: process.env.PATH ?? '', STENO: `${origin}/api/v1`, KEY: key };
  });
  afterAll(() => steno.close());

  test('each snippet does what the page says', async () => {
    expect(snippets).toHaveLength(printed.length);
    for (const [at, snippet] of snippets.entries())
      expect((await promisify(execFile)('bash', ['-ec', snippet], { env })).stdout).toMatch(
        printed[at] ?? /^$/,
      );
  });

  test('the weights are those of openapi.json', () => {
    const weights: string[] = [];
    for (const [path, methods] of Object.entries<object>(JSON.parse(readFileSync(openapiFile, 'utf8')).paths))
      for (const [method, { description = '' }] of Object.entries<{ description?: string }>(
        Object(methods),
      )) {
        const [, weight] = /Counts as (\d+) requests/.exec(description) ?? [];
        if (weight) weights.push(`| \`${method.toUpperCase()} ${path}\` | ${weight} |`);
      }
    expect(guide.match(/^\| `[A-Z]+ \/\S+` \| \d+ \|$/gm)?.sort()).toEqual(weights.sort());
  });
});
