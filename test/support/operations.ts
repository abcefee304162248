import { readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Schema {
  type?: string | string[];
  format?: string;
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  minLength?: number;
  minimum?: number;
  items?: Schema;
  properties?: Record<string, Schema>;
  additionalProperties?: Schema | boolean;
  required?: string[];
}

/** One operation of openapi.json, with what the generated suites ask of it. Routes added later are in it by themselves. */
export interface Operation {
  name: string;
  method: string;
  path: string;
  /** Scope a personal key needs, null when any will do; undefined: personal keys are refused. */
  personal: string | null | undefined;
  workspace: string | null | undefined;
  /** Whether a signed-in person may, and whether an agent token counts as a credential. */
  session: boolean;
  agent: boolean;
  /** Whether the session must be that of an operator. */
  operator: boolean;
  needsCredential: boolean;
  pathIds: string[];
  queryNames: string[];
  body: Schema | undefined;
  bodyRequired: boolean;
  /** Whether it takes an Idempotency-Key. */
  takesKey: boolean;
}

interface Described {
  security?: Record<string, string[]>[];
  parameters?: { in: string; name: string }[];
  requestBody?: { required?: boolean; content: Record<string, { schema: Schema }> };
}

const file = join(import.meta.dirname, '../../openapi.json');
const document: { paths: Record<string, Record<string, Described>> } = JSON.parse(readFileSync(file, 'utf8'));

export const operations: Operation[] = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, described]) => toOperation(method.toUpperCase(), path, described)),
);

function toOperation(method: string, path: string, described: Described): Operation {
  const { security = [], parameters = [], requestBody } = described;
  const scopeOf = (scheme: string) => {
    const scopes = security.find((entry) => scheme in entry)?.[scheme];
    return scopes === undefined ? undefined : (scopes[0] ?? null);
  };
  return {
    name: `${method} ${path}`,
    method,
    path,
    personal: scopeOf('personalKey'),
    workspace: scopeOf('workspaceKey'),
    session: scopeOf('session') !== undefined,
    operator: scopeOf('session') === 'operator',
    agent: scopeOf('agentToken') !== undefined,
    needsCredential: security.length > 0,
    pathIds: [...path.matchAll(/(\w[\w-]*)\/\{\w+\}/g)].map(([, segment]) => segment ?? ''),
    queryNames: parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name),
    body: requestBody?.content['application/json']?.schema,
    bodyRequired: requestBody?.required === true,
    takesKey: parameters.some(({ name }) => name === 'Idempotency-Key'),
  };
}

/** The path with its parameters filled in, in order. */
export function fill(path: string, ids: readonly string[]): string {
  let next = 0;
  // A stream that never ends: with this cursor it is refused, after the checks of access.
  if (path.endsWith('/changes/events')) return `${path}?since=none`;
  return path.replace(/\{\w+\}/g, () => ids[next++] ?? 'none');
}

/** The smallest body that the schema accepts, or one with every member that is not an id. */
export function sample(schema: Schema | undefined, everyMember = false): unknown {
  if (schema === undefined) return undefined;
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  if (schema.anyOf) return sample(schema.anyOf[0]);
  if (schema.format === 'uuid') return '0198c0de-0000-7000-8000-000000000000';
  if (schema.format === 'date-time') return '2026-01-01T00:00:00.000Z';
  if (schema.format === 'email') return 'someone@example.com';
  switch ([schema.type].flat()[0]) {
    case 'object':
      if (typeof schema.additionalProperties === 'object')
        return { some: sample(schema.additionalProperties) };
      return Object.fromEntries(
        Object.entries(schema.properties ?? {})
          .filter(([name]) => (everyMember && !/_ids?$/.test(name)) || schema.required?.includes(name))
          .map(([name, member]) => [name, sample(member, everyMember)]),
      );
    case 'array':
      return [sample(schema.items, everyMember)];
    case 'integer':
    case 'number':
      return schema.minimum ?? 1;
    case 'boolean':
      return true;
    default:
      return 'x'.repeat(Math.max(6, schema.minLength ?? 0));
  }
}
