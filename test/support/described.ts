import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { expect } from 'vitest';

const document = JSON.parse(readFileSync(join(import.meta.dirname, '../../openapi.json'), 'utf8'));
const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);
ajv.addSchema(document, 'openapi');

/** With `fields`, an answer has some of its fields. */
const leanDocument = (() => {
  let isAdded = false;
  return () => {
    if (!isAdded)
      ajv.addSchema(
        JSON.parse(
          JSON.stringify(document, (name, value) =>
            name === 'required' && Array.isArray(value) ? undefined : value,
          ),
        ),
        'lean',
      );
    isAdded = true;
    return 'lean';
  };
})();

const paths = Object.keys(document.paths).map((path) => ({
  path,
  // A literal path wins over one with a parameter, as in the router.
  form: new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`),
  parameters: path.split('{').length - 1,
}));
paths.sort((one, other) => one.parameters - other.parameters);

const validators = new Map<string, ValidateFunction>();

interface Answer {
  status: number;
  text: string;
  body: unknown;
}

/** Fails the test when an answer is not what openapi.json says of its path, method and status. */
export function expectDescribed(method: string, url: string, answer: Answer): void {
  const pathname = url.split('?')[0] ?? '';
  const known = paths.find(({ form }) => form.test(pathname));
  const operation = known && document.paths[known.path]?.[method === 'HEAD' ? 'get' : method.toLowerCase()];
  if (!known || !operation) {
    if (method !== 'OPTIONS' && pathname.startsWith('/api/v1') && answer.status >= 400 && method !== 'HEAD')
      validate('Error', { $ref: 'openapi#/components/schemas/Error' }, answer.body, `${method} ${url}`);
    return;
  }
  const place = `${method} ${known.path} ${answer.status}`;
  const described = operation.responses[answer.status];
  expect(described, `${place} is not in openapi.json`).toBeDefined();
  const shared = described.$ref?.replace('#/components/responses/', '');
  const response = shared === undefined ? described : document.components.responses[shared];
  if (method === 'HEAD' || answer.status === 204) {
    expect(answer.text, place).toBe('');
    return;
  }
  const schema = response.content?.['application/json']?.schema;
  if (!schema || answer.body === undefined) return;
  if (answer.status !== 200 || !/[?&]fields=/.test(url)) validate(place, rebase(schema), answer.body, place);
  else validate(`${place} lean`, rebase(schema, leanDocument()), answer.body, place);
}

function validate(id: string, schema: object, body: unknown, place: string): void {
  let check = validators.get(id);
  if (!check) {
    check = ajv.compile(schema);
    validators.set(id, check);
  }
  expect(check(body) ? [] : check.errors, `${place} answered ${JSON.stringify(body)}`).toEqual([]);
}

/** References of the document point at its own root. */
const rebase = (schema: object, root = 'openapi'): object =>
  JSON.parse(JSON.stringify(schema).replaceAll('"#/', `"${root}#/`));
