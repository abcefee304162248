import { parse } from '@plussub/srt-vtt-parser';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { personalKeysOf } from '../../src/domain/api-key.ts';
import { operator } from '../../src/domain/principal.ts';
import { createFakeSpeech, recording } from '../support/speech.ts';
import { anyDatabase, startSteno, type TestSteno } from '../support/steno.ts';

const unknownId = '0199a000-0000-7000-8000-000000000000';

describe.each(anyDatabase)('transcriptions on %s', (databaseKind) => {
  let steno: TestSteno;
  let now = Date.parse('2026-10-15T12:00:00.000Z');
  const speech = createFakeSpeech();
  beforeAll(async () => {
    steno = await startSteno({ databaseKind, clock: () => now, speech });
  });
  afterEach(() => {
    speech.say();
    now += 60_000;
  });
  afterAll(() => steno.close());

  async function transcribed(key: string, ...sentences: string[]): Promise<string> {
    speech.say(...sentences);
    now += 1;
    return (await steno.upload(key)).body.data.id;
  }
  const get = (key: string, path: string) => steno.call('GET', `/transcriptions/${path}`, { key });

  test('are listed newest first, page by page, without segments unless asked', async () => {
    const { key } = await steno.person();
    const ids: string[] = [];
    for (let at = 0; at < 5; at += 1) ids.unshift(await transcribed(key, `Sentence ${at}`));
    const seen: string[] = [];
    let cursor = '';
    do {
      const { status, body } = await get(key, `list?limit=2${cursor}`);
      expect(status).toBe(200);
      for (const item of body.data) expect(item).not.toHaveProperty('segments');
      seen.push(...body.data.map(({ id }: { id: string }) => id));
      expect(body.has_more).toBe(body.next_cursor !== null);
      cursor = body.next_cursor === null ? '' : `&cursor=${body.next_cursor}`;
    } while (cursor !== '');
    expect(seen).toEqual(ids);
    const [first] = (await get(key, 'list?include=segments&limit=1')).body.data;
    expect(first).toEqual((await get(key, ids[0] ?? '')).body.data);
    expect(first.segments[0].text).toBe('Sentence 4');
  });

  test('are filtered by language and by note', async () => {
    const { key } = await steno.person();
    const id = await transcribed(key, 'One');
    await transcribed(key, 'Two');
    expect((await get(key, 'list?language=en')).body.data).toHaveLength(2);
    expect((await get(key, 'list?language=EN')).body.data).toHaveLength(2);
    expect((await get(key, 'list?language=de')).body.data).toEqual([]);
    const note = await steno.call('POST', '/notes/create', {
      key,
      body: { content: 'x', transcription_id: id },
    });
    const noteId = note.body.data.id;
    expect((await get(key, `list?note_id=${noteId}`)).body.data).toMatchObject([{ id, note_id: noteId }]);
    expect((await get(key, `list?note_id=${unknownId}`)).body.data).toEqual([]);
  });

  test.each(['limit=0', 'limit=101', 'limit=x', 'cursor=x', 'include=words', 'note_id=x'])(
    'list?%s is 400',
    async (query) => {
      const { key } = await steno.person();
      const { status, body } = await get(key, `list?${query}`);
      expect([status, body.error.code]).toEqual([400, 'validation_error']);
    },
  );

  test('come as plain text with paragraphs at long pauses', async () => {
    const { key } = await steno.person();
    const id = await transcribed(key, 'The first thought.', 'After a while, the second.');
    const { status, text, headers } = await get(key, `${id}?format=text`);
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('text/plain; charset=utf-8');
    expect(text.trim()).toBe('The first thought.\n\nAfter a while, the second.');
    expect((await get(key, `${id}?format=json`)).body).toEqual((await get(key, id)).body);
    expect((await get(key, `${id}?format=docx`)).status).toBe(400);
  });

  test.each(['srt', 'vtt'])('come as %s that a parser not ours understands', async (format) => {
    const { key } = await steno.person();
    const first = 'Fish & chips <b>cost</b> three pounds, says the man -->';
    const id = await transcribed(
      key,
      first,
      'And this is a rather long sentence that no single line of a screen can hold.',
    );
    const { status, text, headers } = await get(key, `${id}?format=${format}`);
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('text/plain; charset=utf-8');
    expect(text.startsWith(format === 'vtt' ? 'WEBVTT\n' : '1\n')).toBe(true);
    // The package's types name files without their extension, which TypeScript does not resolve here.
    const { entries }: { entries: { from: number; to: number; text: string }[] } = parse(text);
    expect(entries.length).toBeGreaterThanOrEqual(2);
    let end = 0;
    for (const { from, to, text: lines } of entries) {
      expect(from).toBeGreaterThanOrEqual(end);
      expect(to - from).toBeLessThanOrEqual(7_000);
      expect(lines.split('\n').length).toBeLessThanOrEqual(2);
      end = to;
    }
    const words = entries
      .map((entry) => entry.text)
      .join(' ')
      .split(/\s+/);
    expect(words).toContain('rather');
    expect(words.at(-1)).toBe('hold.');
  });

  test('subtitles of silence, and of a record without segments, are refused', async () => {
    const { key } = await steno.person();
    const { id } = (await steno.upload(key, { file: recording({ words: 0 }) })).body.data;
    const refused = async () => {
      for (const format of ['srt', 'vtt']) {
        const { status, body } = await get(key, `${id}?format=${format}`);
        expect([status, body.error.code]).toEqual([400, 'validation_error']);
      }
    };
    await refused();
    // No route makes such a record yet; those of other servers may be imported without segments.
    await steno.database.write((db) =>
      db.updateTable('transcriptions').set({ segments: null, text: 'Plain.' }).where('id', '=', id).execute(),
    );
    expect((await get(key, id)).body.data.segments).toBeNull();
    expect((await get(key, `${id}?format=text`)).text).toBe('Plain.');
    await refused();
  });

  test('are deleted once; a key without the scope cannot', async () => {
    const { key, user } = await steno.person();
    const id = await transcribed(key, 'Gone');
    const { key: reader } = await steno.keys.issue(operator, personalKeysOf(user.id), {
      name: 'reader',
      scopes: ['transcriptions:read', 'transcriptions:write'],
    });
    const refused = await steno.call('DELETE', `/transcriptions/${id}`, { key: reader });
    expect([refused.status, refused.body.error.code]).toEqual([403, 'forbidden']);
    expect((await steno.call('DELETE', `/transcriptions/${id}`, { key })).status).toBe(204);
    expect((await steno.call('DELETE', `/transcriptions/${id}`, { key })).status).toBe(404);
    expect((await get(key, id)).body.error).toEqual({
      code: 'not_found',
      message: 'Transcription not found',
    });
    expect((await get(key, 'no-uuid')).status).toBe(404);
  });

  test("another person's are 404, a workspace key gets 403", async () => {
    const { key } = await steno.person();
    const id = await transcribed(key, 'Private');
    const other = await steno.person();
    const team = await steno.team();
    for (const [method, path] of [
      ['GET', id],
      ['GET', `${id}?format=srt`],
      ['DELETE', id],
    ] as const) {
      expect((await steno.call(method, `/transcriptions/${path}`, { key: other.key })).status).toBe(404);
      expect((await steno.call(method, `/transcriptions/${path}`, { key: team.key })).status).toBe(403);
    }
    expect((await get(other.key, 'list')).body.data).toEqual([]);
    expect((await get(team.key, 'list')).status).toBe(403);
    expect((await get(key, id)).status).toBe(200);
  });

  test('a note made from one serves its transcript and is found by its words', async () => {
    const { key } = await steno.person();
    const id = await transcribed(key, 'We met the zebra.', 'It was late.');
    const created = await steno.call('POST', '/notes/create', {
      key,
      body: { content: 'Minutes', note_type: 'upload', transcription_id: id },
    });
    expect(created.status).toBe(201);
    const note = created.body.data;
    const record = (await get(key, id)).body.data;
    expect(record.note_id).toBe(note.id);
    const transcript = (await steno.call('GET', `/notes/${note.id}/transcript`, { key })).body.data;
    expect(transcript).toMatchObject({
      note_id: note.id,
      text: 'We met the zebra. It was late.',
      segments: record.segments,
    });
    expect(JSON.parse(transcript.transcript)).toEqual(record.segments);
    const found = await steno.call('POST', '/notes/search', { key, body: { query: 'zebra' } });
    expect(found.body.data.map((hit: { id: string }) => hit.id)).toEqual([note.id]);
    // The note keeps its transcript when the record goes.
    await steno.call('DELETE', `/transcriptions/${id}`, { key });
    expect((await steno.call('GET', `/notes/${note.id}/transcript`, { key })).status).toBe(200);
  });

  test('one has one note at a time: a second is 409 until the first is deleted', async () => {
    const { key } = await steno.person();
    const id = await transcribed(key, 'Once');
    const make = () =>
      steno.call('POST', '/notes/create', { key, body: { content: 'x', transcription_id: id } });
    const answers = await Promise.all([make(), make(), make()]);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
    const first = answers.find(({ status }) => status === 201)?.body.data;
    expect((await steno.call('GET', '/notes/list', { key })).body.data).toHaveLength(1);
    await steno.call('DELETE', `/notes/${first.id}`, { key });
    expect((await make()).status).toBe(201);
  });

  test('a foreign or unknown one makes no note', async () => {
    const { key } = await steno.person();
    const id = await transcribed(key, 'Private');
    const other = await steno.person();
    const team = await steno.team();
    const attempts: [string, object][] = [
      [other.key, { transcription_id: id }],
      [key, { transcription_id: unknownId }],
      [key, { transcription_id: 'x' }],
      [team.key, { transcription_id: id, space_id: team.space.id }],
    ];
    for (const [caller, members] of attempts) {
      const body = { content: 'x', ...members };
      const answer = await steno.call('POST', '/notes/create', { key: caller, body });
      expect([answer.status, answer.body.error.code]).toEqual([400, 'validation_error']);
      expect(answer.body.error.message).toContain('transcription_id');
    }
    expect((await steno.call('GET', '/notes/list', { key: other.key })).body.data).toEqual([]);
    expect((await get(key, id)).body.data.note_id).toBeNull();
  });

  test('speakers get other names, in the record and in the subtitles', async () => {
    const { key } = await steno.person();
    const id = await transcribed(key, 'Good morning.', 'Good day.');
    const { segments, ...before } = (await get(key, id)).body.data;
    const answer = await steno.call('PATCH', `/transcriptions/${id.toUpperCase()}`, {
      key,
      body: { speakers: { 'Speaker 1': ' Ann <3 ' } },
    });
    expect(answer.status).toBe(200);
    const renamed = segments.map((segment: object) => ({ ...segment, speaker: 'Ann <3' }));
    expect(answer.body.data).toEqual({ ...before, segments: renamed });
    expect((await get(key, id)).body.data).toEqual(answer.body.data);
  });

  test.each([
    [
      'a speaker that it does not have',
      { speakers: { 'Speaker 2': 'Ann' } },
      'no Speaker 2. Its speakers are Speaker 1.',
    ],
    ['one known and one unknown speaker', { speakers: { 'Speaker 1': 'Ann', Bob: 'Ben' } }, 'no Bob'],
    ['nothing', {}, 'speakers'],
    ['no names', { speakers: {} }, '1 to 20'],
    ['a list', { speakers: ['Ann'] }, 'speakers'],
    ['an empty name', { speakers: { 'Speaker 1': ' ' } }, 'speakers'],
    ['a name too long', { speakers: { 'Speaker 1': 'x'.repeat(101) } }, '100'],
    ['a name of two lines', { speakers: { 'Speaker 1': 'a\nb' } }, 'one line'],
    [
      'too many names',
      { speakers: Object.fromEntries(Array.from({ length: 21 }, (_, i) => [`Speaker ${i}`, 'x'])) },
      '1 to 20',
    ],
  ])('renaming %s is 400 and changes nothing', async (_, body, named) => {
    const { key } = await steno.person();
    const id = await transcribed(key, 'Once');
    const before = (await get(key, id)).body;
    const { status, body: answer } = await steno.call('PATCH', `/transcriptions/${id}`, { key, body });
    expect([status, answer.error.code]).toEqual([400, 'validation_error']);
    expect(answer.error.message).toContain(named);
    expect((await get(key, id)).body).toEqual(before);
  });

  const correct = (key: string, id: string, ...segments: [position: number, was: string, text: string][]) =>
    steno.call('PATCH', `/transcriptions/${id}`, {
      key,
      body: {
        segments: segments.map(([position, expected_text, text]) => ({ position, expected_text, text })),
      },
    });

  test('a corrected word keeps its time, and subtitles, note and search say it too', async () => {
    const { key } = await steno.person();
    const id = await transcribed(key, 'I use kaizeli daily.', 'Thank you.');
    const content = 'I use kaizeli daily.\n\nThank you.';
    const made = { content, transcription_id: id, content_is_transcript: true };
    const { id: noteId, updated_at } = (await steno.call('POST', '/notes/create', { key, body: made })).body
      .data;
    const note = async () => (await steno.call('GET', `/notes/${noteId}`, { key })).body.data;
    const { segments, ...before } = (await get(key, id)).body.data;

    const answer = await correct(key, id, [0, 'I use kaizeli daily.', ' I use Kysely daily. ']);
    expect(answer.status).toBe(200);
    const words = segments[0].words.map((word: { word: string }) =>
      word.word === 'kaizeli' ? { ...word, word: 'Kysely', score: null } : word,
    );
    expect(answer.body.data).toEqual({
      ...before,
      text: 'I use Kysely daily. Thank you.',
      segments: [{ ...segments[0], text: 'I use Kysely daily.', words }, segments[1]],
    });
    expect((await get(key, id)).body.data).toEqual(answer.body.data);
    expect((await get(key, `${id}?format=srt`)).text).toContain('I use Kysely daily.');
    const after = await note();
    expect(after.content).toBe('I use Kysely daily.\n\nThank you.');
    expect(JSON.parse(after.transcript)).toEqual(answer.body.data.segments);
    expect(after.updated_at > updated_at).toBe(true);
    const found = await steno.call('POST', '/notes/search', { key, body: { query: 'kysely' } });
    expect(found.body.data).toMatchObject([{ id: noteId }]);

    // Once somebody has written into the note, its text is theirs. Its transcript still follows.
    await steno.call('PATCH', `/notes/${noteId}`, { key, body: { content: 'Ask about Kysely.' } });
    const shorter = await correct(key, id, [1, 'Thank you.', '']);
    expect(shorter.body.data).toMatchObject({ text: 'I use Kysely daily.', word_count: 4 });
    expect(shorter.body.data.segments).toHaveLength(1);
    expect((await note()).content).toBe('Ask about Kysely.');
    expect(JSON.parse((await note()).transcript)).toHaveLength(1);
  });

  test('a confirmed segment has no unsure word, and a segment can be given to another speaker', async () => {
    const { key } = await steno.person();
    const id = await transcribed(key, 'One two.', 'Three.');
    const change = (segment: object) =>
      steno.call('PATCH', `/transcriptions/${id}`, { key, body: { segments: [segment] } });
    const before = (await get(key, id)).body.data;
    const confirmed = await change({ position: 0, expected_text: 'One two.', confirmed: true });
    expect(confirmed.body.data.text).toBe(before.text);
    expect(confirmed.body.data.segments[0].words.map(({ score }: { score: null }) => score)).toEqual(
      before.segments[0].words.map(() => null),
    );
    expect(confirmed.body.data.segments[1]).toEqual(before.segments[1]);
    const given = await change({ position: 1, expected_text: 'Three.', speaker: 'Noor' });
    expect(given.body.data.segments[1]).toEqual({ ...before.segments[1], speaker: 'Noor' });
    const none = await change({ position: 1, expected_text: 'Three.' });
    expect(none.body.data).toEqual(given.body.data);
    expect((await change({ position: 1, expected_text: 'Tree.', speaker: 'Ada' })).status).toBe(409);
  });

  test('a segment that somebody else corrected meanwhile is not overwritten', async () => {
    const { key } = await steno.person();
    const id = await transcribed(key, 'One two.', 'Three.');
    expect((await correct(key, id, [0, 'One two.', 'One too.'])).status).toBe(200);
    const { status, body } = await correct(key, id, [1, 'Three.', 'Tree.'], [0, 'One two.', 'Want two.']);
    expect([status, body.error.code]).toEqual([409, 'conflict']);
    expect((await get(key, id)).body.data.text).toBe('One too. Three.');
  });

  test('a key that may not change notes corrects the transcription alone', async () => {
    const { key, user } = await steno.person();
    const id = await transcribed(key, 'Old.');
    const { body } = await steno.call('POST', '/notes/create', {
      key,
      body: { content: 'Old.', transcription_id: id },
    });
    const { key: narrow } = await steno.keys.issue(operator, personalKeysOf(user.id), {
      name: 'narrow',
      scopes: ['transcriptions:write'],
    });
    expect((await correct(narrow, id, [0, 'Old.', 'New.'])).body.data.text).toBe('New.');
    expect((await steno.call('GET', `/notes/${body.data.id}`, { key })).body.data.content).toBe('Old.');
  });

  test.each([
    ['no corrections', []],
    ['a segment that it does not have', [{ position: 1, expected_text: 'Once', text: 'x' }]],
    ['a position below 0', [{ position: -1, expected_text: 'Once', text: 'x' }]],
    ['a text too long', [{ position: 0, expected_text: 'Once', text: 'x'.repeat(5_001) }]],
    ['no expected text', [{ position: 0, text: 'x' }]],
    ['the same segment twice', Array(2).fill({ position: 0, expected_text: 'Once', text: 'x' })],
    [
      'too many',
      Array.from({ length: 101 }, (_, position) => ({ position, expected_text: 'Once', text: 'x' })),
    ],
  ])('correcting with %s is 400 and changes nothing', async (_, segments) => {
    const { key } = await steno.person();
    const id = await transcribed(key, 'Once');
    const { status, body } = await steno.call('PATCH', `/transcriptions/${id}`, { key, body: { segments } });
    expect([status, body.error.code]).toEqual([400, 'validation_error']);
    expect((await get(key, id)).body.data.text).toBe('Once');
  });

  test("another user's speakers cannot be renamed", async () => {
    const { key } = await steno.person();
    const id = await transcribed(key, 'Mine');
    const other = await steno.person();
    const body = { speakers: { 'Speaker 1': 'Ann' } };
    expect((await steno.call('PATCH', `/transcriptions/${id}`, { key: other.key, body })).status).toBe(404);
    expect((await get(key, id)).body.data.segments[0].speaker).toBe('Speaker 1');
  });

  test('go with the account', async () => {
    const { key, user } = await steno.person();
    await transcribed(key, 'Mine');
    await steno.users.remove(user.id);
    for (const table of ['transcriptions', 'usage_ledger', 'transcription_leases'] as const) {
      const rows = await steno.database.db
        .selectFrom(table)
        .select('user_id')
        .where('user_id', '=', user.id)
        .execute();
      expect(rows).toEqual([]);
    }
  });
});
