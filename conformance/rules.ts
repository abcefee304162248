/** Says what was expected in place of the value, or nothing when the value is right. */
export type Rule = (value: unknown) => string | undefined;

const rule =
  (wanted: string, holds: (value: unknown) => boolean): Rule =>
  (value) =>
    holds(value) ? undefined : `${wanted}, not ${shown(value)}`;

const shown = (value: unknown) => (JSON.stringify(value) ?? 'nothing').slice(0, 120);

const textMatching = (wanted: string, form: RegExp): Rule =>
  rule(wanted, (value) => typeof value === 'string' && form.test(value));

export const text = rule('a string', (value) => typeof value === 'string');
export const boolean = rule('true or false', (value) => typeof value === 'boolean');
export const number = rule('a number', (value) => typeof value === 'number');
export const integer = rule('an integer', Number.isInteger);
export const fraction = rule('a number from 0 to 1', (v) => typeof v === 'number' && v >= 0 && v <= 1);
export const uuid = textMatching('a UUID', /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/);
export const timestamp = textMatching(
  'a time like 2026-01-01T00:00:00.000Z',
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/,
);
export const speaker = textMatching('a name like "Speaker 1"', /^Speaker [1-9]\d*$/);
export const exactly = (wanted: unknown): Rule => rule(shown(wanted), (value) => value === wanted);
export const oneOf = (...values: unknown[]): Rule =>
  rule(`one of ${values.map(shown).join(', ')}`, (value) => values.includes(value));
export const nullable =
  (inner: Rule): Rule =>
  (value) => {
    const fault = value === null ? undefined : inner(value);
    return fault && `null or ${fault}`;
  };

export const listOf =
  (inner: Rule): Rule =>
  (value) => {
    if (!Array.isArray(value)) return `a list, not ${shown(value)}`;
    const faults = value.map((item, at) => {
      const fault = inner(item);
      return fault && `item ${at}: ${fault}`;
    });
    return faults.find((fault) => fault !== undefined);
  };

/** Every field must be there, null ones too. Fields beyond these are the server's own affair. */
export const record =
  (fields: Record<string, Rule>): Rule =>
  (value) => {
    if (typeof value !== 'object' || value === null) return `an object, not ${shown(value)}`;
    const given = new Map(Object.entries(value));
    const faults = Object.entries(fields).map(([name, inner]) => {
      if (!given.has(name)) return `field "${name}", which is missing`;
      const fault = inner(given.get(name));
      return fault && `field "${name}": ${fault}`;
    });
    return faults.find((fault) => fault !== undefined);
  };
