import { expect, test } from 'vitest';
import { readTranscript } from '../../src/domain/transcript.ts';
import { analyseNote } from '../../src/engines/search/analyse/analyser.ts';

const searched = (transcript: string | null) =>
  analyseNote({ title: null, content: '', enhanced_content: null, transcript });

test.each<[string, string]>([
  ['a sentence', 'So we agreed.'],
  ['no text', ''],
  ['white space', ' \n'],
  ['a sentence that begins with a bracket', '[inaudible] so we agreed'],
  ['an array that is not finished', '[{"text":"One"}'],
  ['an array with something behind it', '[{"text":"One"}] two'],
  ['numbers', '[1, 2]'],
  ['strings', '["one", "two"]'],
  ['arrays', '[["one"]]'],
  ['segments with something else between them', '[{"text":"One"}, "two", {"text":"three"}]'],
  ['segments with null between them', '[{"text":"One"}, null]'],
  ['objects that all lack a text', '[{"start":0}, {"text":7}]'],
  ['one segment without an array', '{"text":"One"}'],
])('%s is plain text, and searched as it is', (_, transcript) => {
  expect(readTranscript(transcript)).toEqual({ text: transcript, segments: null, transcript });
  expect(searched(transcript)).toBe(
    analyseNote({ title: null, content: transcript, enhanced_content: null, transcript: null }),
  );
});

test.each<[string, string, string[], string]>([
  ['an empty array', '[]', [], ''],
  ['one segment', '[{"text":"One"}]', ['One'], 'One'],
  ['white space around it', ' \n[ {"text":"One"} ]\n', ['One'], 'One'],
  ['white space in the texts', '[{"text":" One "},{"text":"two\\n"}]', [' One ', 'two\n'], 'One two'],
  ['an empty text', '[{"text":"One"},{"text":""},{"text":"two"}]', ['One', '', 'two'], 'One two'],
  ['an item without a text', '[{"text":"One"},{"start":2},{"text":"two"}]', ['One', 'two'], 'One two'],
  ['an item with a text of the wrong kind', '[{"text":null},{"text":"two"}]', ['two'], 'two'],
  ['fields nobody knows', '[{"text":"One","color":"red"}]', ['One'], 'One'],
])('segments with %s: their texts are read and searched', (_, transcript, texts, text) => {
  const read = readTranscript(transcript);
  expect(read.segments?.map((segment) => segment.text)).toEqual(texts);
  expect([read.text, read.transcript]).toEqual([text, transcript]);
  expect(searched(transcript)).toBe(searched(text));
});

test('what a segment does not tell, or tells in the wrong way, is "not known"', () => {
  const words = [
    { word: 'One' },
    5,
    { word: 'x', start: 1, end: 2 },
    { word: 'y', start: 2, end: 3, score: 'good' },
  ];
  const items = [
    { text: 'One' },
    { text: 'two', start: 'soon', end: null, speaker: 7, words },
    { text: 'three', words: 'x' },
  ];
  const unknown = { start: 0, end: 0, speaker: null, words: [] };
  expect(readTranscript(JSON.stringify(items)).segments).toEqual([
    { ...unknown, text: 'One' },
    {
      ...unknown,
      text: 'two',
      words: [
        { word: 'x', start: 1, end: 2, score: null },
        { word: 'y', start: 2, end: 3, score: null },
      ],
    },
    { ...unknown, text: 'three' },
  ]);
});

test('numbers too large for JavaScript are "not known" too: no answer could carry them', () => {
  const [segment] = readTranscript('[{"text":"One","start":1e999,"end":2}]').segments ?? [];
  expect(segment).toMatchObject({ start: 0, end: 2 });
});
