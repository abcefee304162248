import { readdirSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ImportedRecording, ImportSource } from '../../src/domain/imported.ts';
import { noWishes } from '../../src/domain/recording.ts';
import { recordingRecord } from '../support/exports.ts';
import { recording } from '../support/speech.ts';
import { databaseKinds, startSteno, type TestSteno } from '../support/steno.ts';

async function* nothing() {}

/** An export with this recording alone. */
function exportOf(record: ImportedRecording): ImportSource {
  async function* recordings() {
    yield record;
  }
  return {
    folders: nothing,
    tags: nothing,
    notes: nothing,
    transcriptions: nothing,
    recordings,
    dictionary: nothing,
    snippets: nothing,
  };
}

describe.each(databaseKinds)('imports that broke off, on %s', (databaseKind) => {
  let steno: TestSteno;
  beforeAll(async () => {
    steno = await startSteno({ databaseKind });
  });
  afterAll(() => steno.close());

  const sound = recording({ bytes: 900 });
  const done = (audio: ImportedRecording['audio']): ImportedRecording => ({
    ...recordingRecord({ bytes: sound.length }),
    state: 'done',
    audio,
  });
  const statusOfAudio = async (key: string, id: string) =>
    (await steno.call('GET', `/recordings/${id}/audio`, { key })).status;

  test('what a killed import left is removed once, and not the audio of the next import', async () => {
    const { user, key } = await steno.person();
    async function* chunks() {
      yield sound;
    }
    const record = done(chunks);
    const { audio: _, ...row } = { ...record, user_id: user.id };
    const begun = { ...row, ...noWishes, state: 'uploading' as const };
    await steno.store.recordings.insert(begun, { isResumable: false, length: null });
    await steno.database.db
      .updateTable('recordings')
      .set({ holder: 'a server that was killed' })
      .where('id', '=', row.id)
      .execute();
    expect(await steno.imports.run(user.id, exportOf(record))).toMatchObject({ recordings: 1, known: 0 });
    await steno.sweepAudio();
    expect(await statusOfAudio(key, row.id)).toBe(200);
    // The mark of the first one is no hindrance for the second.
    await steno.call('DELETE', `/recordings/${row.id}`, { key });
    expect(readdirSync(steno.config.recordings.folder)).not.toContainEqual(expect.stringContaining(row.id));
  });

  test('the minute in which broken uploads are deleted spares the recording of a running import', async () => {
    const { user, key } = await steno.person();
    async function* chunks() {
      yield sound.subarray(0, 400);
      await steno.recordings.tidy();
      yield sound.subarray(400);
    }
    const record = done(chunks);
    expect(await steno.imports.run(user.id, exportOf(record))).toMatchObject({ recordings: 1, known: 0 });
    expect(await statusOfAudio(key, record.id)).toBe(200);
  });
});
