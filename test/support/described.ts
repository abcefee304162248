import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { expect } from 'vitest';

const document = JSON.parse(readFileSync(join(import.meta.dirname, '../../openapi.json'), 'utf8'));
const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);
// Clients must allow new fields; here a field that is not described is a fault.
ajv.addSchema(closed({ ...document, paths: {} }), 'openapi');

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

const filled = { type: 'string', minLength: 1 };
const error = {
  type: 'object',
  properties: { code: filled, message: filled },
  required: ['code', 'message'],
};
const envelope = { type: 'object', properties: { error }, required: ['error'], additionalProperties: false };

const validators = new Map<string, ValidateFunction>();

interface Answer {
  status: number;
  text: string;
  body: unknown;
  headers?: Record<string, unknown>;
}

/** Fails the test when an answer is not what openapi.json says of its path, method and status. */
export function expectDescribed(method: string, url: string, answer: Answer): void {
  const pathname = url.split('?')[0] ?? '';
  const known = paths.find(({ form }) => form.test(pathname));
  const operation = known && document.paths[known.path]?.[method === 'HEAD' ? 'get' : method.toLowerCase()];
  if (!known || !operation) {
    if (method !== 'OPTIONS' && pathname.startsWith('/api/v1') && answer.status >= 400 && method !== 'HEAD')
      validate('Error', envelope, answer.body, `${method} ${url}`);
    return;
  }
  const place = `${method} ${known.path} ${answer.status}`;
  const described = operation.responses[answer.status];
  expect(described, `${place} is not in openapi.json`).toBeDefined();
  const shared = described.$ref?.replace('#/components/responses/', '');
  const response = shared === undefined ? described : document.components.responses[shared];
  const { headers } = answer;
  if (headers && answer.status < 400)
    for (const name of Object.keys(response.headers ?? {}))
      if (document.components.headers[name].required)
        expect(headers[name.toLowerCase()], `${place}: ${name}`).toBeDefined();
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
  closed(JSON.parse(JSON.stringify(schema).replaceAll('"#/', `"${root}#/`)));

/** A copy in which objects have no members but those that are named. */
function closed(schema: object): object {
  if (Array.isArray(schema)) return schema.map((one) => (isObject(one) ? closed(one) : one));
  const copy: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(schema)) copy[key] = isObject(value) ? closed(value) : value;
  const isObjectSchema = 'type' in copy && copy.type === 'object' && isObject(copy.properties);
  return isObjectSchema && !('additionalProperties' in copy)
    ? { ...copy, additionalProperties: false }
    : copy;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
