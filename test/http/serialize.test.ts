import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { pickingSerializer } from '../../src/platform/http/serialize.ts';

const serialize = (schema: z.ZodType, value: unknown) =>
  JSON.parse(pickingSerializer({ schema, method: 'GET', url: '/' })(value));

describe('an answer', () => {
  const note = z.object({ id: z.uuid(), title: z.string().nullable(), tags: z.array(z.string()) });
  const schema = z.object({ data: z.array(note), next: note.nullable(), more: note.optional() });

  test('holds only what its schema names, at every depth', () => {
    const known = { id: 'a', title: null, tags: ['x'] };
    const stored = { ...known, owner_id: 'secret' };
    expect(serialize(schema, { data: [stored], next: stored, more: stored, count: 1 })).toEqual({
      data: [known],
      next: known,
      more: known,
    });
  });

  test('keeps null and leaves out what is not there', () => {
    expect(serialize(schema, { data: [], next: null })).toEqual({ data: [], next: null });
  });

  test('may be an object or a text', () => {
    const either = z.union([z.object({ data: note }), z.string()]);
    expect(serialize(either, { data: { id: 'a', title: 't', tags: [], owner_id: 'secret' } })).toEqual({
      data: { id: 'a', title: 't', tags: [] },
    });
    expect(serialize(either, 'plain')).toBe('plain');
  });

  test('whose schema cannot be a filter is refused at start', () => {
    for (const open of [z.any(), z.record(z.string(), z.string()), z.union([note, schema])])
      expect(() => pickingSerializer({ schema: open, method: 'GET', url: '/' })).toThrow(
        'Cannot filter answers',
      );
  });
});
