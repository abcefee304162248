import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { anyDatabase, startSteno, type TestSteno } from '../support/steno.ts';

const segment = {
  start: 0,
  end: 1.5,
  text: ' Hello there. ',
  speaker: 'Ann',
  words: [{ word: 'Hello', start: 0, end: 0.5, score: 0.9 }],
};
const bare = { start: 0, end: 0, speaker: null, words: [] };

describe.each(anyDatabase)("a note's transcript on %s", (databaseKind) => {
  let steno: TestSteno;
  let key: string;
  beforeAll(async () => {
    steno = await startSteno({ databaseKind });
    ({ key } = await steno.person());
  });
  afterAll(() => steno.close());

  async function noteWith(transcript: string | null): Promise<string> {
    const { id } = (await steno.call('POST', '/notes/create', { key, body: { content: 'x' } })).body.data;
    await steno.database.write((db) =>
      db.updateTable('notes').set({ transcript }).where('id', '=', id).execute(),
    );
    return id;
  }

  test('is 404 no_transcript when there is none', async () => {
    const id = await noteWith(null);
    const answer = await steno.call('GET', `/notes/${id}/transcript`, { key });
    expect([answer.status, answer.body.error.code]).toEqual([404, 'no_transcript']);
    expect((await steno.call('GET', `/notes/${id}`, { key })).body.data.transcript).toBeNull();
  });

  test.each<[string, string, { text: string; segments: unknown }]>([
    ['plain text', 'So we agreed.', { text: 'So we agreed.', segments: null }],
    ['no words', '', { text: '', segments: null }],
    ['plain text that begins like a list', '[inaudible] yes', { text: '[inaudible] yes', segments: null }],
    ['a list of something else', '[1, 2]', { text: '[1, 2]', segments: null }],
    ['an object', '{"text":"x"}', { text: '{"text":"x"}', segments: null }],
    [
      'segments',
      JSON.stringify([segment, { ...segment, text: 'Yes.' }]),
      { text: 'Hello there. Yes.', segments: [segment, { ...segment, text: 'Yes.' }] },
    ],
    ['no segments', '[]', { text: '', segments: [] }],
    [
      'segments of an old client, without times, speakers and words',
      '[{"text":"One"},{"text":"two","speaker":null,"color":"red"}]',
      {
        text: 'One two',
        segments: [
          { ...bare, text: 'One' },
          { ...bare, text: 'two' },
        ],
      },
    ],
    [
      'segments with members of the wrong kind',
      '[{"text":"One","start":"soon","end":null,"speaker":7,"words":[{"word":"One"},5,{"word":"x","start":1,"end":2}]}]',
      {
        text: 'One',
        segments: [{ ...bare, text: 'One', words: [{ word: 'x', start: 1, end: 2, score: null }] }],
      },
    ],
  ])('reads %s', async (_name, transcript, { text, segments }) => {
    const id = await noteWith(transcript);
    const answer = await steno.call('GET', `/notes/${id}/transcript`, { key });
    expect([answer.status, answer.body]).toEqual([
      200,
      { data: { note_id: id, text, segments, transcript } },
    ]);
    expect((await steno.call('GET', `/notes/${id}`, { key })).body.data.transcript).toBe(transcript);
  });
});
