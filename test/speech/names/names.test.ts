import { describe, expect, test } from 'vitest';
import { createNames, likeness, soundOf } from '../../../src/engines/speech/names/sounds-like.ts';
import { termsOf } from '../../../src/engines/speech/names/vocabulary.ts';

const alike = (a: string, b: string) => likeness(soundOf(a), soundOf(b));

describe('likeness', () => {
  test.for([
    ['Clafflin', 'Claflin'],
    ['post gress', 'Postgres'],
    ['Platt Chat', 'Plat Chat'],
    ['pie torch', 'PyTorch'],
  ] as const)('%j sounds like %j', ([heard, name]) => {
    expect(alike(heard, name)).toBeGreaterThan(0.7);
  });

  test.for([
    ['Munich', 'Wrocław'],
    ['table', 'Kubernetes'],
  ] as const)('%j does not sound like %j', ([heard, name]) => {
    expect(alike(heard, name)).toBeLessThan(0.5);
  });

  test('is the same both ways, 1 for the same and never below 0', () => {
    expect(alike('Siobhan', 'Shivon')).toBe(alike('Shivon', 'Siobhan'));
    expect([alike('Ann', 'Ann'), alike('', '')]).toEqual([1, 1]);
    expect(alike('a', 'strength')).toBeLessThan(0.2);
  });
});

describe('names', () => {
  const names = createNames(['ComfyUI', 'Dashwood', 'Katherine', 'Ed', 'a name of five words']);

  test('are found by how they sound, the likest first', () => {
    expect(names.like('Confuive')[0]?.name).toBe('ComfyUI');
    expect(names.like('dash would').map(({ name }) => name)).toEqual(['Dashwood']);
    expect(names.like('Catharine')[0]?.name).toBe('Katherine');
    expect(names.like('Katherine')).toEqual([{ name: 'Katherine', likeness: 1 }]);
  });

  test('are not found by anything else, and very short ones never', () => {
    for (const heard of ['mountain', 'Ed', 'at', '', '…']) expect(names.like(heard)).toEqual([]);
  });

  test('of several words are also found word by word, but for the common ones', () => {
    const several = createNames(['Jon Dashwoode', 'the House of Wrocław Press Office']);
    const found = (heard: string) => several.like(heard)[0]?.name;
    expect(found('John Dashwood')).toBe('Jon Dashwoode');
    expect(['Dashwood', 'Wroclaw', 'house'].map(found)).toEqual(['Dashwoode', 'Wrocław', undefined]);
  });

  test('may be very many', () => {
    const many = createNames(
      Array.from({ length: 20_000 }, (_, i) => `Name${i.toString(36)}`).concat('Dashwood'),
    );
    expect(many.like('Dashwoode')[0]?.name).toBe('Dashwood');
  });
});

describe('the terms of a prompt', () => {
  test.for([
    ['Dashwood, ComfyUI', ['Dashwood', 'ComfyUI']],
    [' Plat  Chat;Ångström\nnode.js. ', ['Plat Chat', 'Ångström', 'node.js']],
    ['We talk about the new ComfyUI in the house.', ['ComfyUI']],
    ['', []],
  ] as const)('%j are %j', ([prompt, terms]) => {
    expect(termsOf(prompt)).toEqual(terms);
  });
});
