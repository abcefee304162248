import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { anyDatabase, startSteno, type TestSteno } from '../support/steno.ts';

describe.each(anyDatabase)('the first steps on %s', (databaseKind) => {
  let steno: TestSteno;
  beforeAll(async () => {
    steno = await startSteno({ databaseKind, config: { firstSteps: true } });
  });
  afterAll(() => steno.close());

  async function newcomer(setUp = async (_key: string) => {}) {
    const { user, key } = await steno.person();
    await setUp(key);
    const { token } = await steno.signIn(user);
    const steps = async () =>
      (await steno.call('POST', '/api/account/first-steps', { key: token })).body.data;
    const read = async (path: string) => (await steno.call('GET', path, { key: token })).body.data;
    return { user, key, token, steps, read };
  }

  test('a new account has one sample that plays and reads like any voice note, and costs nothing', async () => {
    const { token, steps, read } = await newcomer();
    const usedBefore = await read('/usage');
    // Two pages are opened at once.
    const [first] = await Promise.all([steps(), steps()]);
    const notes = await read('/notes/list');
    expect(notes).toHaveLength(1);
    expect((await steps()).sample_id).toBe(notes[0].id);
    expect(first).toMatchObject({ shown: true, recorded: false, wrote: false, connected: false });
    expect(notes[0]).toMatchObject({ note_type: 'upload', content_is_transcript: true });
    expect(notes[0].content).toContain('ask what you can do for your country');
    const [recording, ...others] = await read(`/recordings?note_id=${notes[0].id}`);
    expect(others).toEqual([]);
    expect(recording).toMatchObject({ state: 'done', duration_ms: 11_000, has_audio: true });
    const audio = await steno.app.inject({
      url: `/api/v1/recordings/${recording.id}/audio`,
      headers: { authorization: `Bearer ${token}` },
    });
    expect(audio.rawPayload.equals(readFileSync('assets/ask-not.ogg'))).toBe(true);
    const words = await read(`/transcriptions/${recording.transcription_id}`);
    expect(words.segments[0].words[0]).toMatchObject({ word: 'And' });
    const found = await steno.call('POST', '/notes/search', { key: token, body: { query: 'country' } });
    expect(found.body.data).toHaveLength(1);
    // Not in words, minutes or storage, and not in the days.
    expect(await read('/usage')).toEqual(usedBefore);
  });

  test('it is deleted like any note and does not come back; dismissed, the steps do not either', async () => {
    const { token, steps, read } = await newcomer();
    const { sample_id } = await steps();
    await steno.call('DELETE', `/notes/${sample_id}`, { key: token });
    expect(await steps()).toMatchObject({ shown: true, sample_id: null });
    expect(await read('/notes/list')).toEqual([]);
    expect((await steno.call('DELETE', '/api/account/first-steps', { key: token })).status).toBe(204);
    expect(await steps()).toMatchObject({ shown: false });
    expect(await read('/notes/list')).toEqual([]);
  });

  test('each step is ticked by doing it', async () => {
    const { key, steps, token } = await newcomer();
    await steps();
    const body = { content: 'Mine' };
    await steno.call('POST', '/notes/create', { key: token, body });
    expect(await steps()).toMatchObject({ recorded: false, wrote: true, connected: false });
    const begin = {
      'tus-resumable': '1.0.0',
      'upload-length': '100',
      'upload-metadata': `name ${btoa('Mine')}`,
    };
    expect((await steno.call('POST', '/recordings/uploads', { key: token, headers: begin })).status).toBe(
      201,
    );
    expect(await steps()).toMatchObject({ recorded: true, connected: false });
    await steno.call('GET', '/notes/list', { key });
    await steno.store.keys.touch(
      new Map([[await keyIdOf(key), { at: new Date().toISOString(), route: 'GET /api/v1/notes/list' }]]),
    );
    expect(await steps()).toMatchObject({ shown: true, recorded: true, wrote: true, connected: true });
  });
  const keyIdOf = async (key: string) => (await steno.call('GET', '/me', { key })).body.data.key.id;

  test('an account with a note gets the steps but no sample', async () => {
    const { steps, read } = await newcomer(async (key) => {
      await steno.call('POST', '/notes/create', { key, body: { content: 'First' } });
    });
    expect(await steps()).toMatchObject({ shown: true, wrote: true, sample_id: null });
    expect(await read('/notes/list')).toHaveLength(1);
  });

  test('a key cannot ask for them, and a server whose operator does not want them makes nothing', async () => {
    const { key } = await newcomer();
    expect((await steno.call('POST', '/api/account/first-steps', { key })).status).toBe(403);
    const other = await startSteno({ databaseKind });
    const { user } = await other.person();
    const { token } = await other.signIn(user);
    const answer = await other.call('POST', '/api/account/first-steps', { key: token });
    expect(answer.body.data).toMatchObject({ shown: false });
    expect((await other.call('GET', '/notes/list', { key: token })).body.data).toEqual([]);
    await other.close();
  });
});
