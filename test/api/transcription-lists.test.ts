import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createFakeSpeech } from '../support/speech.ts';
import { anyDatabase, startSteno, type TestSteno } from '../support/steno.ts';

describe.each(anyDatabase)('lists of transcriptions on %s', (databaseKind) => {
  let steno: TestSteno;
  let now = Date.parse('2026-10-15T12:00:00.000Z');
  const speech = createFakeSpeech();
  beforeAll(async () => {
    steno = await startSteno({ databaseKind, clock: () => now, speech });
  });
  afterAll(() => steno.close());

  async function transcribed(key: string, ...sentences: string[]): Promise<string> {
    speech.say(...sentences);
    now += 1;
    return (await steno.upload(key)).body.data.id;
  }
  const get = (key: string, path: string) => steno.call('GET', `/transcriptions/${path}`, { key });

  test('are listed oldest first, and those of a time', async () => {
    const { key } = await steno.person();
    const ids: string[] = [];
    const times: string[] = [];
    for (let at = 0; at < 4; at += 1) {
      ids.push(await transcribed(key, `Sentence ${at}`));
      times.push(new Date(now).toISOString());
    }
    const found = async (query: string) =>
      (await get(key, `list?${query}`)).body.data.map(({ id }: { id: string }) => id);
    expect(await found(`since=${times[1]}&until=${times[3]}`)).toEqual([ids[2], ids[1]]);
    const first = (await get(key, 'list?sort=oldest&limit=3')).body;
    expect(first.has_more).toBe(true);
    expect(await found(`sort=oldest&limit=3&cursor=${first.next_cursor}`)).toEqual([ids[3]]);
    expect(first.data.map(({ id }: { id: string }) => id)).toEqual(ids.slice(0, 3));
    expect((await get(key, `list?cursor=${first.next_cursor}`)).status).toBe(400);
    expect(await found('sort=oldest&q=sentence&limit=2')).toEqual(ids.slice(0, 2));
  });

  test('are found by the family of their language', async () => {
    const { key, user } = await steno.person();
    const ids: string[] = [];
    for (const language of ['en', 'en-US', 'eng', 'pt-br']) {
      const id = await transcribed(key, 'One');
      const { status: _, ...record } = (await get(key, id)).body.data;
      await steno.call('DELETE', `/transcriptions/${id}`, { key });
      await steno.store.imports.insertTranscription({
        ...record,
        status: 'completed',
        user_id: user.id,
        language,
        segments: null,
      });
      ids.push(id);
    }
    const found = async (language: string) =>
      (await get(key, `list?language=${language}&sort=oldest`)).body.data.map(({ id }: { id: string }) => id);
    expect(await found('en')).toEqual([ids[0], ids[1]]);
    expect(await found('EN-us')).toEqual([ids[1]]);
    expect(await found('pt')).toEqual([ids[3]]);
    expect(await found('e_')).toEqual([]);
  });
});
