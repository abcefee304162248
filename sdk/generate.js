// Writes what openapi.json says: src/schema.d.ts, the types of all calls, and src/idempotent-paths.ts, the calls that take an
// Idempotency-Key. With --check it writes nothing and fails when a file is out of date.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import openapiTS, { astToString, COMMENT_HEADER } from 'openapi-typescript';
import ts from 'typescript';

const source = new URL('../openapi.json', import.meta.url);
const openapi = JSON.parse(readFileSync(source, 'utf8'));

/** By default the types call bytes a string. */
const blob = ts.factory.createTypeReferenceNode('Blob');
const types = await openapiTS(source, {
  transform: ({ format }) => (format === 'binary' ? blob : undefined),
});

const takesKey = ({ parameters = [] }) => parameters.some(({ name }) => name === 'Idempotency-Key');
const paths = Object.entries(openapi.paths)
  .filter(([, { post }]) => post && takesKey(post))
  .map(([path]) => `  '${path}',`);

const files = {
  'schema.d.ts': COMMENT_HEADER + astToString(types),
  'idempotent-paths.ts': [
    '// Generated from openapi.json by `npm run types --workspace sdk`. Do not edit.',
    '/** A POST to one of these, sent again with the same Idempotency-Key, creates nothing twice. */',
    'export const idempotentPaths: ReadonlySet<string> = new Set([',
    ...paths,
    ']);',
    '',
  ].join('\n'),
};

for (const [name, text] of Object.entries(files)) {
  const file = join(import.meta.dirname, 'src', name);
  if (!process.argv.includes('--check')) writeFileSync(file, text);
  else if (!existsSync(file) || readFileSync(file, 'utf8') !== text) {
    console.error(`sdk/src/${name} is out of date; run \`npm run types --workspace sdk\`.`);
    process.exitCode = 1;
  }
}
