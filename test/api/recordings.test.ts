import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { encodeForm } from '../support/form.ts';
import { settled, uploadTo } from '../support/recordings.ts';
import { createFakeSpeech, recording } from '../support/speech.ts';
import { databaseKinds, startSteno, type TestSteno, testPlans } from '../support/steno.ts';

const unknownId = '01890000-0000-7000-8000-000000000000';

describe.each(databaseKinds)('recordings on %s', (databaseKind) => {
  let steno: TestSteno;
  let now = Date.parse('2026-10-15T12:00:00.000Z');
  const speech = createFakeSpeech();
  const plans = {
    ...testPlans,
    pro: {
      ...testPlans.pro,
      recordingMinutesPerMonth: 2,
      recordingMaxBytes: 1_000,
      recordingMaxMinutes: 3,
    },
  };
  beforeAll(async () => {
    steno = await startSteno({ databaseKind, clock: () => now, speech, config: { plans } });
  });
  afterEach(() => {
    speech.mend();
    now += 60_000;
  });
  afterAll(() => steno.close());

  const soundFile = (id: string) => join(steno.config.dataDir, 'recordings', `${id}.sound`);
  const sounds = () => {
    const folder = join(steno.config.dataDir, 'recordings');
    return existsSync(folder) ? readdirSync(folder) : [];
  };
  const upload = (key: string, file: Uint8Array = recording(), query = '') =>
    uploadTo(steno, key, file, query);
  async function heard(key: string, file: Uint8Array = recording(), query = '') {
    const { status, body } = await upload(key, file, query);
    expect(status).toBe(201);
    return settled(steno, key, body.data.id);
  }

  test('are queued, heard chunk by chunk, and become a transcription', async () => {
    const { key, user } = await steno.person();
    const answer = await upload(
      key,
      recording({ ms: 50_000, words: 2 }),
      '?name=Monday%20meeting&prompt=Steno',
    );
    expect(answer.status).toBe(201);
    expect(answer.body.data).toMatchObject({
      user_id: user.id,
      name: 'Monday meeting',
      media_type: 'audio/wav',
      bytes: recording({ ms: 50_000 }).length,
      state: 'queued',
      prompt: 'Steno',
      keep_audio: true,
      has_audio: true,
      transcription_id: null,
    });
    const done = await settled(steno, key, answer.body.data.id);
    expect(done).toMatchObject({
      state: 'done',
      progress: 1,
      duration_ms: 50_000,
      error: null,
      note_id: null,
    });
    const { body } = await steno.call('GET', `/transcriptions/${done.transcription_id}`, { key });
    expect(body.data.text).toBe('word1 word2 word1 word2 word1 word2');
    expect(body.data.segments.map(({ start }: { start: number }) => start)).toEqual([0, 20, 40]);
    expect(body.data.audio_duration_ms).toBe(50_000);
  });

  test('count their own minutes once, and none of POST /transcribe', async () => {
    const { key } = await steno.person();
    await heard(key, recording({ ms: 90_000 }));
    const { body } = await steno.call('GET', '/usage', { key });
    expect(body.data).toMatchObject({
      audio_ms_used: 0,
      recording_ms_used: 90_000,
      recording_ms_limit: -1,
      words_used: 10,
    });
  });

  test('may come as a form, with fields before and after the file', async () => {
    const { key } = await steno.person();
    const folder = await steno.call('POST', '/folders/create', { key, body: { name: 'Heard' } });
    const folder_id: string = folder.body.data.id;
    const { payload, headers } = encodeForm({ language: 'en', file: recording(), note: 'true', folder_id });
    const { status, body } = await steno.call('POST', '/recordings', { key, body: payload, headers });
    expect(status).toBe(201);
    expect(body.data).toMatchObject({ language: 'en', name: 'recording' });
    const done = await settled(steno, key, body.data.id);
    const note = await steno.call('GET', `/notes/${done.note_id}`, { key });
    expect(note.body.data).toMatchObject({
      title: done.name,
      content: 'word1 word2',
      note_type: 'upload',
      folder_id,
    });
    expect(JSON.parse(note.body.data.transcript)).toHaveLength(1);
  });

  test('are listed with their words if asked, and their transcriptions can be left out of the other list', async () => {
    const { key } = await steno.person();
    const { id } = await heard(key, recording({ words: 3 }));
    const goOn = speech.hold();
    await upload(key);
    const list = async (path: string) => (await steno.call('GET', path, { key })).body.data;
    const [waiting, done] = await list('/recordings?include=words');
    expect(waiting).toMatchObject({ word_count: null, beginning: null });
    expect(done).toMatchObject({ id, word_count: 3, beginning: 'word1 word2 word3' });
    goOn();
    expect((await list('/recordings'))[1]).not.toHaveProperty('beginning');
    await steno.upload(key, { file: recording({ words: 1 }) });
    expect(await list('/transcriptions/list?recorded=false')).toMatchObject([{ text: 'word1' }]);
  });

  test('play back byte by byte, and in ranges', async () => {
    const { key } = await steno.person();
    const file = recording({ bytes: 500 });
    const { id } = await heard(key, file);
    const play = (range?: string) =>
      steno.call('GET', `/recordings/${id}/audio`, { key, headers: range ? { range } : {} });
    const whole = await play();
    expect(whole).toMatchObject({ status: 200, text: file.toString() });
    expect(whole.headers).toMatchObject({
      'content-type': 'audio/wav',
      'accept-ranges': 'bytes',
      'content-length': '500',
      'cache-control': 'private, no-cache',
    });
    const head = await steno.call('HEAD', `/recordings/${id}/audio`, { key });
    expect(head.headers).toMatchObject({ 'content-length': '500', 'accept-ranges': 'bytes' });
    const ranges = { 'bytes=0-4': 'audio', 'bytes=495-': '.....', 'bytes=-3': '...', 'bytes=499-900': '.' };
    for (const [range, text] of Object.entries(ranges))
      expect(await play(range)).toMatchObject({ status: 206, text });
    expect((await play('bytes=0-4')).headers['content-range']).toBe('bytes 0-4/500');
    const beyond = await play('bytes=500-');
    expect([beyond.status, beyond.body.error.code]).toEqual([416, 'range_not_satisfiable']);
    expect(beyond.headers).toMatchObject({ 'content-range': 'bytes */500' });
    expect(await play('bytes=0-1,3-4')).toMatchObject({ status: 200 });
  });

  test('are listed newest first, page by page', async () => {
    const { key } = await steno.person();
    const ids: string[] = [];
    for (let at = 0; at < 5; at++) {
      now += 1_000;
      ids.unshift((await upload(key)).body.data.id);
    }
    const first = await steno.call('GET', '/recordings?limit=3', { key });
    const second = await steno.call('GET', `/recordings?limit=3&cursor=${first.body.next_cursor}`, { key });
    expect([...first.body.data, ...second.body.data].map(({ id }) => id)).toEqual(ids);
    expect(second.body).toMatchObject({ has_more: false, next_cursor: null });
    expect((await steno.call('GET', '/recordings?cursor=x', { key })).status).toBe(400);
  });

  test('are renamed', async () => {
    const { key } = await steno.person();
    const { id } = await heard(key);
    const patch = (body: object) => steno.call('PATCH', `/recordings/${id}`, { key, body });
    expect((await patch({ name: ' Standup ' })).body.data).toMatchObject({ name: 'Standup', state: 'done' });
    expect((await patch({})).status).toBe(400);
    expect((await patch({ name: '' })).status).toBe(400);
  });

  test('lose their sound once their words are stored, if asked', async () => {
    const { key } = await steno.person();
    const dropped = await heard(key, recording(), '?keep_audio=false');
    expect(dropped).toMatchObject({ state: 'done', keep_audio: false, has_audio: false });
    await expect.poll(() => existsSync(soundFile(dropped.id))).toBe(false);
    expect((await steno.call('GET', `/recordings/${dropped.id}/audio`, { key })).status).toBe(404);
    const keep = { key, body: { keep_audio: true } };
    expect((await steno.call('PATCH', `/recordings/${dropped.id}`, keep)).status).toBe(409);
    const kept = await heard(key);
    expect(existsSync(soundFile(kept.id))).toBe(true);
    const drop = { key, body: { keep_audio: false } };
    const { body } = await steno.call('PATCH', `/recordings/${kept.id}`, drop);
    expect(body.data).toMatchObject({ has_audio: false });
    await expect.poll(() => existsSync(soundFile(kept.id))).toBe(false);
  });

  test('go with their sound; the transcription stays unless asked', async () => {
    const { key } = await steno.person();
    const transcription = async (id: string | null) =>
      (await steno.call('GET', `/transcriptions/${id}`, { key })).status;
    const one = await heard(key);
    expect((await steno.call('DELETE', `/recordings/${one.id}`, { key })).status).toBe(204);
    expect(existsSync(soundFile(one.id))).toBe(false);
    expect((await steno.call('GET', `/recordings/${one.id}`, { key })).status).toBe(404);
    expect(await transcription(one.transcription_id)).toBe(200);
    const two = await heard(key);
    await steno.call('DELETE', `/recordings/${two.id}?with_transcription=true`, { key });
    expect(await transcription(two.transcription_id)).toBe(404);
    expect((await steno.call('DELETE', `/recordings/${two.id}`, { key })).status).toBe(404);
  });

  test('that are deleted while they are heard leave nothing, and the queue goes on', async () => {
    const { key, user } = await steno.person();
    const letGo = speech.hold();
    const { id } = (await upload(key)).body.data;
    await expect.poll(() => speech.heard.some(({ userId }) => userId === user.id)).toBe(true);
    await steno.call('DELETE', `/recordings/${id}`, { key });
    letGo();
    expect((await heard(key)).state).toBe('done');
    expect(existsSync(soundFile(id))).toBe(false);
    expect((await steno.call('GET', '/usage', { key })).body.data.recording_ms_used).toBe(1_000);
  });

  test('go with the note that was made of them, and with the account', async () => {
    const { key, user } = await steno.person();
    const { id, note_id } = await heard(key, recording(), '?note=true');
    await steno.call('DELETE', `/notes/${note_id}`, { key });
    expect(existsSync(soundFile(id))).toBe(true);
    expect((await steno.call('DELETE', `/notes/trash/${note_id}`, { key })).status).toBe(204);
    expect((await steno.call('GET', `/recordings/${id}`, { key })).status).toBe(404);
    expect(existsSync(soundFile(id))).toBe(false);
    const other = await heard(key);
    await steno.users.remove(user.id);
    expect(existsSync(soundFile(other.id))).toBe(false);
  });

  test('follow their transcription into a note that is made later', async () => {
    const { key } = await steno.person();
    const { id, transcription_id } = await heard(key);
    const body = { content: 'x', transcription_id };
    const note = await steno.call('POST', '/notes/create', { key, body });
    const noteId = note.body.data.id;
    expect((await steno.call('GET', `/recordings/${id}`, { key })).body.data.note_id).toBe(noteId);
    expect((await steno.call('GET', `/recordings?note_id=${noteId}`, { key })).body.data).toMatchObject([
      { id },
    ]);
  });

  test('of others are 404', async () => {
    const ada = await steno.person();
    const eve = await steno.person();
    const { id } = await heard(ada.key);
    const { key } = eve;
    const calls = [
      ['GET', `/recordings/${id}`],
      ['GET', `/recordings/${id}/audio`],
      ['PATCH', `/recordings/${id}`, { name: 'mine' }],
      ['POST', `/recordings/${id}/retry`],
      ['DELETE', `/recordings/${id}`],
    ] as const;
    for (const [method, path, body] of calls)
      expect((await steno.call(method, path, { key, body })).status).toBe(404);
    expect((await steno.call('GET', '/recordings', { key })).body.data).toEqual([]);
  });

  test('are told how many people speak until their words are stored', async () => {
    const { key } = await steno.person();
    const letGo = speech.hold();
    const { id } = (await upload(key, recording(), '?speakers=1')).body.data;
    const say = (speakers: unknown) =>
      steno.call('PATCH', `/recordings/${id}`, { key, body: { speakers } as object });
    expect((await say(3)).status).toBe(200);
    expect((await say(0)).status).toBe(400);
    letGo();
    await settled(steno, key, id);
    expect(speech.counted.at(-1)).toBe(3);
    expect((await say(2)).status).toBe(409);
  });

  test('that fail say why, and go on where they failed when they are tried again', async () => {
    const { key } = await steno.person({ plan: 'pro' });
    const long = await heard(key, recording({ ms: 4 * 60_000 }));
    expect(long).toMatchObject({
      state: 'failed',
      error: 'The recording is too long.',
      error_code: 'validation_error',
      transcription_id: null,
    });
    const again = await steno.call('POST', `/recordings/${long.id}/retry`, { key });
    expect(again.body.data).toMatchObject({ state: 'queued', error: null, error_code: null });
    expect((await settled(steno, key, long.id)).state).toBe('failed');
    const { id } = await heard(key);
    expect((await steno.call('POST', `/recordings/${id}/retry`, { key })).status).toBe(409);
  });

  test('wait while the engine is broken, and are heard when it is mended', async () => {
    const { key, user } = await steno.person();
    speech.breakDown(5);
    const { id } = (await upload(key)).body.data;
    await expect.poll(() => speech.heard.some(({ userId }) => userId === user.id)).toBe(true);
    await expect
      .poll(async () => (await steno.call('GET', `/recordings/${id}`, { key })).body.data.state)
      .toBe('queued');
    speech.mend();
    now += 60_000;
    // Another upload wakes the queue; otherwise it looks every few seconds.
    await heard(key);
    expect((await settled(steno, key, id)).state).toBe('done');
  });

  test('of a month have a limit where the plan says so', async () => {
    const { key } = await steno.person({ plan: 'pro' });
    expect((await steno.call('GET', '/usage', { key })).body.data.recording_ms_limit).toBe(120_000);
    expect((await heard(key, recording({ ms: 100_000 }))).state).toBe('done');
    const second = await heard(key, recording({ ms: 30_000 }));
    expect(second).toMatchObject({ state: 'failed', error: expect.stringContaining('The 2 minutes') });
    expect((await heard(key, recording({ ms: 20_000 }))).state).toBe('done');
    expect((await upload(key)).body.error.code).toBe('quota_exceeded');
    expect((await steno.call('GET', '/usage', { key })).body.data.recording_ms_used).toBe(120_000);
  });

  test.each([
    ['no audio', () => Buffer.from('hello'), '', 400],
    ['nothing', () => Buffer.alloc(0), '', 400],
    ['too large', () => recording({ bytes: 1_001 }), '', 413],
    ['in a language that nobody knows', () => recording(), '?language=tlh', 400],
    ['with a bad option', () => recording(), '?note=perhaps', 400],
    ['for a folder, without a note', () => recording(), `?folder_id=${unknownId}`, 400],
    ['for a folder of nobody', () => recording(), `?note=true&folder_id=${unknownId}`, 400],
    ['for a space, with a personal key', () => recording(), `?note=true&space_id=${unknownId}`, 400],
  ])('that are %s are refused, and nothing is kept', async (_, file, query, status) => {
    const { key } = await steno.person({ plan: 'pro' });
    const before = sounds();
    expect((await upload(key, file(), query)).status).toBe(status);
    expect((await steno.call('GET', '/recordings', { key })).body.data).toEqual([]);
    await expect.poll(sounds).toEqual(before);
  });

  test('sent twice with one Idempotency-Key are one', async () => {
    const { key } = await steno.person();
    const send = (file: Uint8Array) =>
      steno.call('POST', '/recordings', {
        key,
        body: file,
        headers: { 'content-type': 'audio/wav', 'idempotency-key': 'one' },
      });
    const [first, second] = [await send(recording()), await send(recording())];
    expect(second.status).toBe(201);
    expect(second.body).toEqual(first.body);
    expect((await send(recording({ ms: 2_000 }))).status).toBe(400);
    expect((await steno.call('GET', '/recordings', { key })).body.data).toHaveLength(1);
  });

  test('are followed as events: their words as they are heard, then the state', async () => {
    const { key, user } = await steno.person();
    const letGo = speech.hold();
    const { id } = (await upload(key, recording({ ms: 50_000 }))).body.data;
    await expect.poll(() => speech.heard.some(({ userId }) => userId === user.id)).toBe(true);
    const follow = (lastEventId?: string) =>
      steno.call('GET', `/recordings/${id}/events`, {
        key,
        headers: lastEventId === undefined ? {} : { 'last-event-id': lastEventId },
      });
    const following = follow();
    letGo();
    const { text, headers } = await following;
    expect(headers['content-type']).toBe('text/event-stream');
    const events = text.split('\n\n').filter(Boolean);
    const texts = events.filter((event) => event.includes('event: text'));
    expect(texts).toHaveLength(3);
    expect(texts[1]).toBe(
      'id: 1\nevent: text\ndata: {"position":1,"start_ms":20000,"end_ms":20000,"text":"word1 word2"}',
    );
    expect(events.at(-1)).toMatch(/^id: end\nevent: state\ndata: \{.*"state":"done"/);
    const resumed = (await follow('1')).text.split('\n\n').filter((event) => event.includes('data:'));
    expect(resumed[0]).toMatch(/^id: 2\n/);
    expect(resumed).toHaveLength(2);
    expect((await follow('end')).status).toBe(204);
    const eve = await steno.person();
    expect((await steno.call('GET', `/recordings/${id}/events`, { key: eve.key })).status).toBe(404);
  });

  test.each(['key', 'session'])('are not followed any more once the %s has ended', async (credential) => {
    const { key, keyId, user } = await steno.person();
    const { token } = await steno.signIn(user);
    const letGo = speech.hold();
    const { id } = (await upload(key, recording({ ms: 50_000 }))).body.data;
    await expect.poll(() => speech.heard.some(({ userId }) => userId === user.id)).toBe(true);
    const answer = await steno.app.inject({
      url: `/api/v1/recordings/${id}/events`,
      headers: { authorization: `Bearer ${credential === 'key' ? key : token}` },
      payloadAsStream: true,
    });
    const sent = answer.stream().setEncoding('utf8');
    const events = sent[Symbol.asyncIterator]();
    let text = '';
    while (!text.includes('event: state')) text += (await events.next()).value;
    const ended =
      credential === 'key'
        ? await steno.call('POST', `/keys/${keyId}/revoke`, { key: token })
        : await steno.call('POST', '/api/auth/sign-out', { key: token });
    expect(ended.status).toBeLessThan(300);
    letGo();
    expect(await events.next()).toMatchObject({ done: true });
  });

  test('of one user do not hold up another', async () => {
    const [ada, eve] = [await steno.person(), await steno.person()];
    const isTheirs = ({ userId }: { userId: string }) => [ada.user.id, eve.user.id].includes(userId);
    const turns = () => speech.heard.filter(isTheirs).map(({ userId }) => userId);
    const letGo = speech.hold();
    const hers: string[] = [];
    for (let at = 0; at < 6; at++) hers.push((await upload(ada.key)).body.data.id);
    const { id } = (await upload(eve.key)).body.data;
    await expect.poll(turns).toEqual([ada.user.id, eve.user.id]);
    letGo();
    for (const mine of hers) expect((await settled(steno, ada.key, mine)).state).toBe('done');
    expect((await settled(steno, eve.key, id)).state).toBe('done');
  });
});
