export interface Schema {
  type?: string | string[];
  format?: string;
  enum?: unknown[];
  const?: unknown;
  anyOf?: Schema[];
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  items?: Schema;
  properties?: Record<string, Schema>;
}

/** From 0 to 1. */
export type Random = () => number;

/** A small generator: the same seed gives the same run. */
export function seeded(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

export const pick = <Item>(random: Random, items: readonly [Item, ...Item[]]): Item =>
  items[Math.floor(random() * items.length)] ?? items[0];

/** Texts that programs trip over. */
const odd = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\ud800',
  '\udfff\ud800',
  'é̀̀̀̀',
  '\u202eabc',
  '👩‍👩‍👧‍👦'.repeat(50),
  'ﬁﬃ'.repeat(500),
  '%00',
  '../../etc/passwd',
  "' or 1=1 --",
  '"'.repeat(200),
  '*:^(OR NEAR',
  '__proto__',
  'x'.repeat(5_001),
  '𝕏'.repeat(300),
] as const;
const numbers = [0, -1, 1, 1.5, -0, 1e308, 2 ** 31, 2 ** 53, -(2 ** 63), 501] as const;
const wrongTypes = [null, true, [], {}, [[]], { length: -1 }, 7, 'text'] as const;

/** Of the accounts on the server, so that requests reach what is theirs and what is not. */
const knownIds: string[] = [];
export const useIds = (ids: readonly string[]) => void knownIds.splice(0, knownIds.length, ...ids);

export function uuid(random: Random): string {
  const digits = Array.from({ length: 32 }, () => Math.floor(random() * 16).toString(16)).join('');
  return digits.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-4$3-8$4-$5');
}

/** Mostly near what the schema wants, at its bounds and just beyond; now and then of another type. */
export function valueFor(schema: Schema, random: Random): unknown {
  if (random() < 0.05) return pick(random, wrongTypes);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum?.length)
    return random() < 0.8 ? schema.enum[Math.floor(random() * schema.enum.length)] : 'other';
  if (schema.anyOf?.[0]) return valueFor(pick(random, [schema.anyOf[0], ...schema.anyOf]), random);
  switch ([schema.type].flat()[0]) {
    case 'object':
      return Object.fromEntries(
        Object.entries(schema.properties ?? {})
          .filter(() => random() < 0.85)
          .map(([name, member]) => [name, valueFor(member, random)]),
      );
    case 'array':
      return Array.from({ length: Math.floor(random() * 4) }, () => valueFor(schema.items ?? {}, random));
    case 'integer':
    case 'number': {
      const { minimum = 1, maximum = 100 } = schema;
      if (random() < 0.5) return minimum + Math.floor(random() * Math.min(100, maximum - minimum + 1));
      return pick(random, [minimum, minimum - 1, maximum, maximum + 1, ...numbers]);
    }
    case 'boolean':
      return random() < 0.5;
    default:
      return textFor(schema, random);
  }
}

function textFor({ format, minLength = 0, maxLength = 100 }: Schema, random: Random): string {
  if (format === 'uuid') {
    const [known = uuid(random), ...others] = knownIds;
    return random() < 0.7
      ? pick(random, [known, ...others])
      : pick(random, [uuid(random), '0', 'X'.repeat(36), ...odd]);
  }
  if (random() < 0.5)
    return pick(random, ['word', 'Another word', `w${Math.floor(random() * 1e6)}`, 'https://127.0.0.1:9/']);
  const most = Math.min(maxLength, 5_000);
  return pick(random, ['word', 'x'.repeat(minLength), 'x'.repeat(most), 'x'.repeat(most + 1), ...odd]);
}
