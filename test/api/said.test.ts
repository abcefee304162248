import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { settled, uploadTo } from '../support/recordings.ts';
import { createFakeSpeech, recording } from '../support/speech.ts';
import { anyDatabase, startSteno, type TestSteno } from '../support/steno.ts';

describe.each(anyDatabase)('looking for what was said, on %s', (databaseKind) => {
  const speech = createFakeSpeech();
  let steno: TestSteno;
  beforeAll(async () => {
    steno = await startSteno({ databaseKind, speech });
  });
  afterAll(() => steno.close());

  /** Every page, as long as there is one. */
  async function found(key: string, path: string, q: string) {
    const [ids, pages]: [string[], number[]] = [[], []];
    let cursor = '';
    do {
      const { body } = await steno.call('GET', `${path}q=${encodeURIComponent(q)}${cursor}`, { key });
      ids.push(...body.data.map(({ id }: { id: string }) => id));
      pages.push(body.data.length);
      expect(body.has_more).toBe(body.next_cursor !== null);
      cursor = body.next_cursor === null ? '' : `&cursor=${body.next_cursor}`;
    } while (cursor !== '');
    return { ids, pages };
  }

  test('a transcription is found by its words, however they are written, and by nobody else', async () => {
    const { key } = await steno.person();
    const ids: string[] = [];
    for (const text of [
      'Cranes and gates at 100% speed.',
      'Übung macht den Meister.',
      'The gates are shut.',
    ]) {
      speech.say(text);
      ids.push((await steno.upload(key, { file: recording({ ms: 1_000 }) })).body.data.id);
    }
    const [cranes, practice, shut] = ids;
    const look = async (q: string, more = '') => (await found(key, `/transcriptions/list?${more}`, q)).ids;
    expect(await look('GATES')).toEqual([shut, cranes]);
    expect(await look('gates cran')).toEqual([cranes]);
    expect(await look('übung')).toEqual([practice]);
    expect(await look('ÜBUNG')).toEqual([practice]);
    expect(await look('100%')).toEqual([cranes]);
    expect(await look('1%')).toEqual([]);
    expect(await look('g_tes')).toEqual([]);
    expect(await look("' or 1=1 --")).toEqual([]);
    expect((await found(key, '/transcriptions/list?limit=1&', 'gates')).pages).toEqual([1, 1]);
    // One request looks through so many words, and the next goes on from there.
    await steno.database.write((db) =>
      db.updateTable('transcriptions').set({ word_count: 300_000 }).where('id', 'in', ids).execute(),
    );
    expect(await found(key, '/transcriptions/list?', 'cranes')).toEqual({ ids: [cranes], pages: [0, 0, 1] });
    const other = (await steno.person()).key;
    expect((await found(other, '/transcriptions/list?', 'gates')).ids).toEqual([]);
    for (const wrong of ['', '%20', 'x'.repeat(201), 'a%00'])
      expect((await steno.call('GET', `/transcriptions/list?q=${wrong}`, { key })).status).toBe(400);
  });

  test('a recording is found by its name and by its words', async () => {
    const { key } = await steno.person();
    const record = async (name: string, text: string) => {
      speech.say(text);
      const { id } = (await uploadTo(steno, key, recording({ ms: 1_000 }), `?name=${name}`)).body.data;
      await settled(steno, key, id);
      return id;
    };
    const walk = await record('Harbour+walk', 'Cranes and gates.');
    const call = await record('Call', 'Nothing about the harbour.');
    const look = async (q: string) => (await found(key, '/recordings?include=words&', q)).ids;
    expect(await look('harbour')).toEqual([call, walk]);
    expect(await look('harbour gates')).toEqual([walk]);
    expect(await look('zeppelin')).toEqual([]);
    expect((await steno.call('GET', `/recordings?q=${'x'.repeat(201)}`, { key })).status).toBe(400);
  });
});
