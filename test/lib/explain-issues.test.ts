import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { explainIssues } from '../../src/lib/explain-issues.ts';

const schema = z.object({
  content: z.string(),
  title: z.string().max(500).nullable().optional(),
  limit: z.preprocess((text) => (text === 'ten' ? 10 : text), z.int().min(1).max(100).default(50)),
  type: z.enum(['personal', 'meeting']).default('personal'),
  folder: z.uuid().nullable().optional(),
  at: z.iso.datetime({ precision: 3 }).optional(),
  words: z.array(z.string().min(1)).min(1).max(3).optional(),
  pinned: z.boolean().optional(),
  share: z.number().min(0).max(1).optional(),
  days: z.int().min(1).optional(),
  name: z
    .string()
    .refine((name) => name !== 'x', 'must be a real name')
    .optional(),
  inner: z.object({ list: z.array(z.object({ text: z.string() })) }).optional(),
});

const explain = (given: unknown) => {
  const { error } = schema.safeParse(given);
  return error ? explainIssues(schema, given, error) : [];
};

describe('a request that is wrong', () => {
  test.each<[string, unknown, string]>([
    ['a field that is missing', {}, 'content is required and must be a string.'],
    ['a field of the wrong type', { content: 5 }, 'content must be a string.'],
    ['null where it is not allowed', { content: null }, 'content must be a string.'],
    [
      'a text that is too long',
      { title: 'x'.repeat(501) },
      'title must be a string of at most 500 characters or null.',
    ],
    ['a number out of range', { limit: 101 }, 'limit must be a whole number from 1 to 100.'],
    ['a fraction', { limit: 1.5 }, 'limit must be a whole number from 1 to 100.'],
    ['a word for a number', { limit: 'many' }, 'limit must be a whole number from 1 to 100.'],
    ['a number without an upper bound', { days: 0 }, 'days must be a whole number of at least 1.'],
    ['a share', { share: 2 }, 'share must be a number from 0 to 1.'],
    ['a value of no list', { type: 'secret' }, 'type must be one of personal, meeting.'],
    ['an id', { folder: 'garden' }, 'folder must be a UUID or null.'],
    ['a time', { at: 'noon' }, 'at must be a UTC time like 2026-01-31T12:00:00.000Z.'],
    ['a list that is empty', { words: [] }, 'words must be a list of 1 to 3 items.'],
    ['an item of a list', { words: ['a', ''] }, 'words[1] must be a string of at least 1 character.'],
    ['a truth', { pinned: 'yes' }, 'pinned must be true or false.'],
    ['a rule of our own', { name: 'x' }, 'name must be a real name.'],
    [
      'a field deep inside',
      { inner: { list: [{}] } },
      'inner.list[0].text is required and must be a string.',
    ],
  ])('%s is named with what would be right', (_what, given, sentence) => {
    expect(explain({ content: 'x', ...Object(given) }).concat(explain(given))).toContain(sentence);
  });

  test('that is no object at all says so', () => {
    for (const given of [[], 'text', 5, null])
      expect(explain(given)).toEqual(['The request body must be an object.']);
  });

  test('has a sentence for each field', () => {
    expect(explain({ limit: 0, type: 'secret' })).toEqual([
      'content is required and must be a string.',
      'limit must be a whole number from 1 to 100.',
      'type must be one of personal, meeting.',
    ]);
  });

  test('has no field that is not known, where that is a rule', () => {
    const strict = z.strictObject({ a: z.string() });
    const { error } = strict.safeParse({ a: '', b: 1, c: 2 });
    expect(error && explainIssues(strict, {}, error)).toEqual(['The request body has no fields b, c.']);
  });
});
