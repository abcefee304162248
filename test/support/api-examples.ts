import type { Told } from './api-story.ts';

interface Example {
  parameters?: Record<string, unknown>;
  request?: Record<string, unknown>;
  answers: Record<string, Record<string, unknown>>;
}
interface Document {
  paths: Record<
    string,
    Record<
      string,
      {
        operationId: string;
        parameters?: { in: string; name: string; schema: { type?: string } }[];
        requestBody?: { content: object };
      }
    >
  >;
}

const mostItems = 2;
const mostText = 300;
const start = Date.parse('2026-05-01T12:00:00.000Z');

/** Collects the first answer of each operation and status, in a form that is the same after every run. */
export function createExamples({ paths }: Document) {
  const examples = new Map<string, Example>();
  const steady = createSteady();
  const forms = Object.keys(paths)
    .map((path) => ({ path, form: new RegExp(`^${path.replace(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`) }))
    // A literal path wins over one with a parameter, as in the router.
    .sort((one, other) => one.path.split('{').length - other.path.split('{').length);

  return {
    add({ method, url, body, answer }: Told): void {
      const [pathname = '', query] = url.split('?');
      const known = forms.find(({ form }) => form.test(pathname));
      const operation = known && paths[known.path]?.[method.toLowerCase()];
      if (!operation) throw new Error(`${method} ${url} is not in openapi.json`);
      const { operationId, parameters = [], requestBody } = operation;
      const example: Example = examples.get(operationId) ?? { answers: {} };
      examples.set(operationId, example);
      const given = {
        ...known.form.exec(pathname)?.groups,
        ...Object.fromEntries(new URLSearchParams(query)),
      };
      for (const { in: place, name, schema } of parameters) {
        const value = given[name];
        if (value === undefined || place === 'header') continue;
        example.parameters ??= {};
        example.parameters[name] ??= schema.type === 'integer' ? Number(value) : steady(value);
      }
      const isBytes = body instanceof Uint8Array;
      const [type] = Object.keys(requestBody?.content ?? {});
      if (body !== undefined && !isBytes && type && !example.request && answer.status < 300)
        example.request = { [type]: steady(body) };
      const answered = String(answer.headers['content-type'] ?? '').split(';')[0] ?? '';
      const content = answered === 'application/json' ? answer.body : answer.text;
      const bodies = example.answers[answer.status] ?? {};
      example.answers[answer.status] = bodies;
      if (answered !== '' && /json|text\//.test(answered) && content !== '')
        bodies[answered] ??= steady(content);
    },

    /** Operations without an answer. */
    missing: () =>
      Object.values(paths)
        .flatMap((methods) => Object.values(methods))
        .map(({ operationId }) => operationId)
        .filter((id) => !Object.keys(examples.get(id)?.answers ?? {}).some((status) => status < '300')),

    toJson: () => `${JSON.stringify(Object.fromEntries([...examples].sort()), null, 2)}\n`,
  };
}

/** Ids, times and secrets differ from run to run; in an example they do not. Long lists and texts are cut. */
function createSteady() {
  const ids = new Map<string, string>();
  const begun = Date.now();
  const idOf = (id: string) => {
    const known = ids.get(id) ?? `0198c0de-0000-7000-8000-${String(ids.size + 1).padStart(12, '0')}`;
    ids.set(id, known);
    return known;
  };
  const timeOf = (time: string) => {
    const days = Math.round((Date.parse(time) - begun) / 86_400_000);
    return new Date(start + days * 86_400_000).toISOString();
  };
  const textOf = (text: string) =>
    text
      .replace(/[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g, idOf)
      .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, timeOf)
      .replace(/\b(owk_live_|ow_wks_live_|owt_|whsec_|msg_|chatcmpl-)[\w+/=-]+/g, '$1EXAMPLE')
      .replace(/\b[0-9a-f]{64}\b/g, '0'.repeat(64))
      .replace(/(invitations\/)[\w-]{20,}/g, '$1EXAMPLE')
      .replace(/http:\/\/127\.0\.0\.1:\d+/g, 'https://hooks.example.org')
      .replace(/127\.0\.0\.1:\d+/g, 'mail.example.org:587')
      .replace(/^(?!0198c0de-)[A-Za-z0-9_-]{30,}$/, 'EXAMPLE')
      .replace(/(^|\n)id: [\w-]{30,}/g, '$1id: EXAMPLE')
      .slice(0, mostText);

  function steady(value: unknown, name = ''): unknown {
    if (typeof value === 'string') return /^\d{6}$/.test(value) ? '123456' : textOf(value);
    if (typeof value === 'number')
      return /_ms$/.test(name) && name !== 'audio_duration_ms' && name !== 'duration_ms'
        ? 120
        : name === 'created'
          ? 1_777_636_800
          : value;
    if (Array.isArray(value)) return value.slice(0, mostItems).map((one) => steady(one));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [textOf(key), steady(one, key)]));
  }
  return (value: unknown) => steady(value);
}
