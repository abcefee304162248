import { describe, expect, test } from 'vitest';
import { choosePrompt, correctionAt, createLexicon } from '../../../src/engines/speech/names/vocabulary.ts';

describe('the prompt', () => {
  test('has the caller’s terms first, then the dictionary as it was used', () => {
    expect(choosePrompt({ prompt: 'ComfyUI', dictionary: ['Dashwood', 'Wrocław'] })).toBe(
      'ComfyUI, Dashwood, Wrocław.',
    );
  });

  test('names a word once', () => {
    expect(choosePrompt({ prompt: 'ComfyUI', dictionary: ['comfyui', 'Dashwood', 'Dashwood'] })).toBe(
      'ComfyUI, Dashwood.',
    );
  });

  test('is empty when there is nothing to say', () => {
    expect(choosePrompt({ prompt: ' ', dictionary: [' '] })).toBe('');
  });

  test('stays within its budget, whatever the dictionary holds', () => {
    const dictionary = Array.from({ length: 500 }, (_, i) => `Name${i}`);
    const prompt = choosePrompt({ prompt: 'x'.repeat(100), dictionary });
    expect(prompt.length).toBeLessThanOrEqual(330);
    expect(prompt.split(', ').length).toBeLessThanOrEqual(21);
  });
});

describe('the correction', () => {
  const mend = (text: string, dictionary: string[]) => {
    const lexicon = createLexicon(dictionary);
    const words = text.split(' ');
    const mended: string[] = [];
    for (let i = 0; i < words.length; ) {
      const correction = correctionAt(words, i, lexicon);
      mended.push(correction?.text ?? words[i] ?? '');
      i += correction?.count ?? 1;
    }
    return mended.join(' ');
  };

  test.for([
    ['I met Jon Smyth.', ['Smith'], 'I met Jon Smith.'],
    ['Open comfyui, please.', ['ComfyUI'], 'Open ComfyUI, please.'],
    ['Run Cooper Netties now', ['Kubernetes'], 'Run Cooper Netties now'],
    ['We use post gress.', ['Postgres'], 'We use Postgres.'],
    ['Ask Kathrine’s brother', ['Katherine'], 'Ask Katherine’s brother'],
    ['“Dashwoode,” she said', ['Dashwood'], '“Dashwood,” she said'],
    ['Mister John Dashwood had', ['Jonathan Dashwoode'], 'Mister John Dashwoode had'],
    ['Houston lost the Columbia.', ['Shuttle Kolumbia', 'Huston Texas'], 'Huston lost the Kolumbia.'],
  ] as const)('%j with %j is %j', ([heard, dictionary, expected]) => {
    expect(mend(heard, [...dictionary])).toBe(expected);
  });

  test.for([
    ['Take a note of this', ['Notte']],
    ['The stone is cold', ['Steno']],
    ['The cloud is white', ['Claude']],
    ['He finds homes in the stars', ['Hoomes', 'Starrs', 'Fynds']],
    ['It is there and their own', ['Ther']],
    ['I see a sea', ['Sy', 'C']],
    ['quarterly report, then', ['Reporten']],
    ['The house is near the office', ['Howse Offise Party', 'Neare the Howse']],
  ] as const)('ordinary words stay: %j with %j', ([heard, dictionary]) => {
    expect(mend(heard, [...dictionary])).toBe(heard);
  });

  test('a word that is right stays as it is', () => {
    expect(mend('ComfyUI and Dashwood', ['ComfyUI', 'Dashwood'])).toBe('ComfyUI and Dashwood');
  });
});
