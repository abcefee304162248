import { expect, test } from 'vitest';
import { importedSentences } from '../../web/src/screens/account/imported.ts';

const nothing = { notes: 0, folders: 0, known: 0, without_audio: 0, not_transcribed: 0, left_out: [] };

test('an import that took everything says what it added, and no more', () => {
  expect(importedSentences({ ...nothing, notes: 1_200, folders: 1 })).toEqual([
    '1,200 notes and 1 folder added.',
  ]);
});

test('recordings that came without their audio, or are not transcribed, are named', () => {
  const one = importedSentences({ ...nothing, without_audio: 1, not_transcribed: 1 }).join(' ');
  expect(one).toContain('1 recording came without its audio.');
  expect(one).toContain('1 recording was still waiting to be transcribed');
  const many = importedSentences({ ...nothing, known: 5, without_audio: 2, not_transcribed: 3 }).join(' ');
  expect(many).toContain('5 already existed. 2 recordings came without their audio. 3 recordings were');
});

test('what a workspace does not let a person bring is named', () => {
  expect(importedSentences({ ...nothing, left_out: ['dictionary', 'snippets'] }).at(-1)).toContain(
    'were left out',
  );
});
