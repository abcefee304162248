import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Note, NoteWithTranscript } from '../../src/domain/note.ts';
import { settled, uploadTo } from '../support/recordings.ts';
import { recording } from '../support/speech.ts';
import { anyDatabase, startSteno, type TestSteno } from '../support/steno.ts';
import { createKnownSpeech } from '../support/voice-note.ts';

const spoken = 'We store it with kaizeli now. It was quick.\n\nAnd how is the harbour?';

describe.each(anyDatabase)('the text of a voice note on %s', (databaseKind) => {
  let steno: TestSteno;
  let key: string;
  const speech = createKnownSpeech();
  beforeAll(async () => {
    steno = await startSteno({ databaseKind, speech });
  });
  beforeEach(async () => {
    ({ key } = await steno.person());
  });
  afterAll(() => steno.close());

  const call = async (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: object) =>
    (await steno.call(method, path, { key, ...(body ? { body } : {}) })).body?.data;
  async function recorded(): Promise<{ id: string; words: string; note: NoteWithTranscript }> {
    const { id } = (await uploadTo(steno, key, recording(), '?note=true&name=Stand-up')).body.data;
    const { note_id, transcription_id } = await settled(steno, key, id);
    return {
      id: note_id ?? '',
      words: transcription_id ?? '',
      note: await call('GET', `/notes/${note_id}`),
    };
  }
  const correct = (words: string, position: number, expected_text: string, text: string) =>
    call('PATCH', `/transcriptions/${words}`, { segments: [{ position, expected_text, text }] });
  const versions = async (id: string): Promise<{ id: string }[]> => call('GET', `/notes/${id}/revisions`);

  test('is the transcript’s until somebody writes; corrections keep both in step, each with a version', async () => {
    const { id, words, note } = await recorded();
    expect(note).toMatchObject({ content: spoken, content_is_transcript: true });
    await correct(words, 1, 'It was quick.', 'It was slow.');
    const after: NoteWithTranscript = await call('GET', `/notes/${id}`);
    expect(after).toMatchObject({
      content: spoken.replace('quick', 'slow'),
      content_is_transcript: true,
      revision: 2,
    });
    expect(after.transcript).toContain('slow.');
    const [kept] = await versions(id);
    expect(await call('GET', `/notes/${id}/revisions/${kept?.id}`)).toMatchObject({
      content: spoken,
      content_is_transcript: true,
    });
  });

  test('what a client writes comes back as sent, and neither changes the transcript nor is changed by it', async () => {
    const { id, words, note } = await recorded();
    const sent = ' My own words. \n';
    const written = await call('PATCH', `/notes/${id}`, { content: sent });
    expect(written).toMatchObject({ content: sent, content_is_transcript: false });
    const after: NoteWithTranscript = await call('GET', `/notes/${id}`);
    expect(after).toMatchObject({ content: sent, transcript: note.transcript });
    await correct(words, 1, 'It was quick.', 'It was slow.');
    const corrected: NoteWithTranscript = await call('GET', `/notes/${id}`);
    expect(corrected).toMatchObject({ content: sent, content_is_transcript: false, revision: 2 });
    expect(corrected.transcript).toContain('slow.');
    // Even the transcript's own words are a person's once a person has written them.
    await call('PATCH', `/notes/${id}`, { content: spoken });
    await correct(words, 1, 'It was slow.', 'It was fast.');
    expect(await call('GET', `/notes/${id}`)).toMatchObject({ content: spoken });
  });

  test('a new title, a pin and the same text again leave it the transcript’s', async () => {
    const { id, note } = await recorded();
    await call('PATCH', `/notes/${id}`, { title: 'Harbour', pinned: true });
    const again: Note = await call('PATCH', `/notes/${id}`, { content: note.content });
    expect(again).toMatchObject({ content_is_transcript: true, revision: 2 });
    expect(await call('PATCH', `/notes/${id}`, { content: '' })).toMatchObject({
      content: '',
      content_is_transcript: false,
    });
  });

  test('a restored version is again what it was: the transcript’s text of today, or a person’s', async () => {
    const { id, words } = await recorded();
    await call('PATCH', `/notes/${id}`, { content: 'Mine.' });
    await correct(words, 1, 'It was quick.', 'It was slow.');
    const [first] = await versions(id);
    expect(await call('POST', `/notes/${id}/revisions/${first?.id}/restore`)).toMatchObject({
      content: spoken.replace('quick', 'slow'),
      content_is_transcript: true,
    });
    const [mine] = await versions(id);
    expect(await call('POST', `/notes/${id}/revisions/${mine?.id}/restore`)).toMatchObject({
      content: 'Mine.',
      content_is_transcript: false,
    });
  });

  test('it stays so in the trash and back, in lists and in search', async () => {
    const { id } = await recorded();
    await call('DELETE', `/notes/${id}`);
    expect(await call('POST', `/notes/${id}/restore`)).toMatchObject({ content_is_transcript: true });
    expect(await call('GET', '/notes/list')).toMatchObject([{ id, content_is_transcript: true }]);
    const found = await call('POST', '/notes/search', { query: 'harbour' });
    expect(found).toMatchObject([{ id, content_is_transcript: true }]);
  });

  test('a note made of a transcription says itself whether its text is that', async () => {
    const { id, words } = await recorded();
    await call('DELETE', `/notes/${id}`);
    const body = { content: 'Anything', transcription_id: words, content_is_transcript: true };
    const made: Note = await call('POST', '/notes/create', body);
    expect(made).toMatchObject({ content: 'Anything', content_is_transcript: true });
    await correct(words, 1, 'It was quick.', 'It was slow.');
    expect(await call('GET', `/notes/${made.id}`)).toMatchObject({
      content: spoken.replace('quick', 'slow'),
      content_is_transcript: true,
    });
    const { transcription_id: _, ...alone } = body;
    const refused = await steno.call('POST', '/notes/create', { key, body: alone });
    expect([refused.status, refused.body.error.message]).toEqual([
      400,
      'content_is_transcript must come with transcription_id.',
    ]);
    const plain = await call('POST', '/notes/create', { content: 'Anything' });
    expect(plain).toMatchObject({ content_is_transcript: false });
  });

  test('a recording that nobody named is called by its first words, one of silence by its time', async () => {
    const named = async (query: string, meanwhile?: (id: string) => Promise<unknown>) => {
      const goOn = meanwhile && speech.hold();
      const { id } = (await uploadTo(steno, key, recording(), query)).body.data;
      await meanwhile?.(id);
      goOn?.();
      const { name, note_id } = await settled(steno, key, id);
      return [name, note_id && (await call('GET', `/notes/${note_id}`)).title];
    };
    const first = 'We store it with kaizeli now';
    expect(await named('?note=true')).toEqual([first, first]);
    expect(await named('')).toEqual([first, null]);
    expect(await named('?note=true&name=Mine')).toEqual(['Mine', 'Mine']);
    // Also a name that comes while it is transcribed.
    const rename = (id: string) => call('PATCH', `/recordings/${id}`, { name: 'Later' });
    expect(await named('?note=true', rename)).toEqual(['Later', 'Later']);
    const { transcript } = speech.known;
    speech.known.transcript = [];
    const [name, title] = await named('?note=true');
    speech.known.transcript = transcript;
    expect(name).toMatch(/^Recording \d{4}-\d\d-\d\d \d\d:\d\d$/);
    expect(title).toBe(name);
  });

  /** Records into the note. Returns the recording. */
  async function into(noteId: string, meanwhile?: () => Promise<unknown>) {
    const goOn = meanwhile && speech.hold();
    const { id } = (await uploadTo(steno, key, recording(), `?note_id=${noteId}`)).body.data;
    await meanwhile?.();
    goOn?.();
    return settled(steno, key, id);
  }
  const textsOf = ({ transcript }: NoteWithTranscript) =>
    (JSON.parse(transcript ?? '[]') as { text: string; start: number }[]).map(
      ({ text, start }) => `${start} ${text}`,
    );

  test('a recording goes into a note that is there: what is written stays, two play one after the other', async () => {
    const note: Note = await call('POST', '/notes/create', { title: 'Mine', content: 'Written.' });
    const first = await into(note.id, () => call('PATCH', `/notes/${note.id}`, { content: 'Written on.' }));
    expect(first).toMatchObject({ state: 'done', note_id: note.id });
    const second = await into(note.id);
    const after: NoteWithTranscript = await call('GET', `/notes/${note.id}`);
    expect(after).toMatchObject({ title: 'Mine', content: 'Written on.', content_is_transcript: false });
    expect(textsOf(after).map((text) => text.slice(0, 8))).toEqual([
      '0 We sto',
      '6 It was',
      '12 And h',
      '60 We st',
      '66 It wa',
      '72 And h',
    ]);
    // A correction of the second leaves the first alone.
    await correct(second.transcription_id ?? '', 1, 'It was quick.', 'It was slow.');
    const corrected = textsOf(await call('GET', `/notes/${note.id}`));
    expect([corrected[1], corrected[4]]).toEqual(['6 It was quick.', '66 It was slow.']);
    expect(await call('GET', `/recordings?note_id=${note.id}`)).toHaveLength(2);
    expect(await call('POST', '/notes/search', { query: 'slow' })).toMatchObject([{ id: note.id }]);
  });

  test('an empty note gets the words as its text, and so does a voice note', async () => {
    const empty: Note = await call('POST', '/notes/create', { title: 'Mine', content: '' });
    await into(empty.id);
    expect(await call('GET', `/notes/${empty.id}`)).toMatchObject({
      title: 'Mine',
      content: spoken,
      content_is_transcript: true,
    });
    await into(empty.id);
    expect((await call('GET', `/notes/${empty.id}`)).content).toBe(`${spoken}\n\n${spoken}`);
    expect(await versions(empty.id)).not.toEqual([]);
  });

  test('if the note is gone meanwhile, or has a transcript from elsewhere, the words make a note of their own', async () => {
    const note: Note = await call('POST', '/notes/create', { content: 'Gone soon.' });
    const lost = await into(note.id, () => call('DELETE', `/notes/${note.id}`));
    expect(lost.note_id).not.toBe(note.id);
    expect(await call('GET', `/notes/${lost.note_id}`)).toMatchObject({ content: spoken });
    const other: Note = await call('POST', '/notes/create', { content: 'With a transcript.' });
    await steno.database.write((trx) =>
      trx.updateTable('notes').set({ transcript: 'From elsewhere.' }).where('id', '=', other.id).execute(),
    );
    const apart = await into(other.id);
    expect(apart.note_id).not.toBe(other.id);
    expect(await call('GET', `/notes/${other.id}`)).toMatchObject({ transcript: 'From elsewhere.' });
  });

  test('a note of somebody else, an unknown one and a place beside it are refused, and nothing is kept', async () => {
    const { key: hers } = await steno.person();
    const theirs = await steno.call('POST', '/notes/create', { key: hers, body: { content: 'x' } });
    const own: Note = await call('POST', '/notes/create', { content: 'x' });
    for (const query of [
      `note_id=${theirs.body.data.id}`,
      'note_id=0199a000-0000-7000-8000-000000000000',
      `note_id=${own.id}&note=false`,
      `note_id=${own.id}&folder_id=${own.id}`,
    ]) {
      const { status, body } = await uploadTo(steno, key, recording(), `?${query}`);
      expect([status, body.error.code]).toEqual([400, 'validation_error']);
    }
    expect(await call('GET', '/recordings')).toEqual([]);
  });
});
