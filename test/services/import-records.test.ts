import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ImportedRecording, ImportSource, importedFolder } from '../../src/domain/imported.ts';
import { type ImportTerms, importRecords, takesAudio } from '../../src/features/import/records.ts';
import { newUuid } from '../../src/lib/uuid.ts';
import type { Database } from '../../src/platform/database/database.ts';
import { noteRecord, ownTime, recordingRecord } from '../support/exports.ts';
import { at, folderRow, insertNote, userRow } from '../support/rows.ts';
import { createFakeSpeech, recording } from '../support/speech.ts';
import { openStore, type TestStore } from '../support/store.ts';

const terms: ImportTerms = { keepsIds: true, maxFolders: 50, maxAudioBytes: 1_000, refusal: null };
const nothing = { without_audio: 0, not_transcribed: 0 };
const { decoder } = createFakeSpeech();
const sound = recording({ bytes: 900 });

let steno: TestStore;
beforeAll(async () => {
  steno = await openStore('sqlite');
});
afterAll(() => steno.close());

async function person(): Promise<string> {
  const user = userRow();
  await steno.store.users.insert(user);
  return user.id;
}

type Parts = {
  [Kind in keyof ImportSource]?: ImportSource[Kind] extends () => AsyncIterable<infer Item>
    ? Item[]
    : object[];
};

/** An export with these records. */
const exportOf = (parts: Parts): ImportSource => {
  const list = (kind: keyof ImportSource) =>
    async function* () {
      yield* (parts[kind] ?? []) as never[];
    };
  return {
    folders: list('folders'),
    tags: list('tags'),
    notes: list('notes'),
    transcriptions: list('transcriptions'),
    recordings: list('recordings'),
    dictionary: list('dictionary'),
    snippets: list('snippets'),
  };
};

/** An import into this database, with what a test changes of it. */
function importing({
  keepAudio = true,
  database = steno.database as Database,
  storing = new Set<string>(),
} = {}) {
  const context = steno.look();
  const { config, imports } = context.parts;
  const parts = {
    ...context.parts,
    config: { ...config, recordings: { ...config.recordings, keepAudio } },
    imports: { ...imports, storing, identify: decoder.identify },
  };
  return (userId: string, source: ImportSource, terms: ImportTerms) =>
    importRecords({ ...context, database, parts }, userId, source, terms);
}

const folder = (name: string, id = newUuid()): ReturnType<typeof importedFolder.parse> => ({
  id,
  name,
  sort_order: 0,
  is_default: false,
  space_id: null,
  created_at: at(0),
  updated_at: at(0),
});
const foldersOf = async (userId: string) =>
  (await steno.store.folders.list(userId)).map(({ name }) => name).sort();

/** With its bytes. */
function recorded(fields: Partial<ImportedRecording> = {}, bytes: Uint8Array = sound): ImportedRecording {
  async function* audio() {
    yield bytes;
  }
  return { ...recordingRecord({ bytes: bytes.length }), state: 'done', audio, ...fields };
}
const recordingOf = async (userId: string, id: string) =>
  (await steno.store.recordings.list({ kind: 'owner', ownerId: userId }, { limit: 100 })).find(
    (one) => one.id === id,
  );

test('a folder beyond the limit ends the import, also if the others were made meanwhile', async () => {
  const userId = await person();
  const source = exportOf({ folders: [folder('One'), folder('Two')] });
  await expect(importing()(userId, source, { ...terms, maxFolders: 1 })).rejects.toMatchObject({
    code: 'limit_reached',
  });
  expect(await foldersOf(userId)).toEqual(['One']);
});

test('a folder of the same name or id is the same, and its notes go there', async () => {
  const userId = await person();
  const plans = folderRow(userId, { name: 'Plans' });
  const ideas = folderRow(userId, { name: 'Ideas, renamed' });
  for (const row of [plans, ideas]) await steno.store.folders.insert(row, 50);
  const sent = [folder('PLANS'), folder('Ideas', ideas.id), folder('New')];
  const notes = sent.map(({ id }) => noteRecord({ folder_id: id, created_at: ownTime() }));
  notes.push(noteRecord({ folder_id: newUuid(), created_at: ownTime() }));
  expect(await importing()(userId, exportOf({ folders: sent, notes }), terms)).toMatchObject({
    folders: 1,
    notes: 4,
    known: 2,
  });
  expect(await foldersOf(userId)).toEqual(['Ideas, renamed', 'New', 'Plans']);
  const reach = { kind: 'owner', ownerId: userId } as const;
  const placed = await Promise.all(notes.map(({ id }) => steno.store.notes.get(reach, id)));
  expect(placed.map((note) => note?.folder_id)).toEqual([plans.id, ideas.id, sent[2]?.id, null]);
});

test('a folder that another server made meanwhile counts as known, and takes the notes', async () => {
  const userId = await person();
  const { write } = steno.database;
  const theirs = folderRow(userId, { name: 'Plans' });
  const mine = folder('plans');
  async function* folders() {
    // From now on, the other server is first.
    isRace = true;
    yield mine;
  }
  let isRace = false;
  const database: Database = {
    ...steno.database,
    async write(...given) {
      if (isRace) await steno.store.folders.insert(theirs, 50);
      isRace = false;
      return write(...given);
    },
  };
  const note = noteRecord({ folder_id: mine.id });
  const source = { ...exportOf({ notes: [note] }), folders };
  const counts = await importing({ database })(userId, source, terms);
  expect(counts).toMatchObject({ folders: 0, known: 1, notes: 1 });
  expect(await steno.store.notes.get({ kind: 'owner', ownerId: userId }, note.id)).toMatchObject({
    folder_id: theirs.id,
  });
});

test('only a note with a transcript says that its text is one, and no two share a client id', async () => {
  const userId = await person();
  const { row } = await insertNote(steno.store, userId);
  const notes = [
    noteRecord({ content_is_transcript: true, transcript: 'said', created_at: ownTime() }),
    noteRecord({ content_is_transcript: true, created_at: ownTime() }),
    noteRecord({ transcript: 'said', created_at: ownTime() }),
    noteRecord({ client_note_id: row.client_note_id, created_at: ownTime() }),
  ];
  expect(await importing()(userId, exportOf({ notes }), terms)).toMatchObject({ notes: 4, known: 0 });
  const reach = { kind: 'owner', ownerId: userId } as const;
  const there = await Promise.all(notes.map(({ id }) => steno.store.notes.get(reach, id)));
  expect(there.map((note) => note?.content_is_transcript)).toEqual([true, false, false, false]);
  expect(there[3]?.client_note_id).toBe(notes[3]?.id);
});

test('what another server imported meanwhile is known; a fault that is none of that ends the import', async () => {
  const userId = await person();
  const { write } = steno.database;
  let isTheirs = true;
  let isTranscription = false;
  const database: Database = {
    ...steno.database,
    async write(...given) {
      if (!isTranscription) return write(...given);
      if (isTheirs) await write(...given);
      throw new Error('UNIQUE');
    },
  };
  const sourceOf = (record: ReturnType<typeof said>): ImportSource => ({
    ...exportOf({}),
    async *transcriptions() {
      isTranscription = true;
      yield record;
      isTranscription = false;
    },
  });
  const said = () => ({
    id: newUuid(),
    user_id: 'somebody',
    note_id: null,
    status: 'completed' as const,
    text: newUuid(),
    word_count: 1,
    source: 'cloud',
    provider: null,
    model: null,
    language: null,
    reason: null,
    segments: null,
    audio_duration_ms: null,
    processing_ms: null,
    created_at: ownTime(),
  });
  const counts = await importing({ database })(userId, sourceOf(said()), terms);
  expect(counts).toMatchObject({ transcriptions: 0, known: 1 });
  isTheirs = false;
  await expect(importing({ database })(userId, sourceOf(said()), terms)).rejects.toThrow('UNIQUE');
});

test('a recording is there with its audio, and is marked as being stored until then', async () => {
  const userId = await person();
  const storing = new Set<string>();
  const seen: boolean[] = [];
  const record = recorded();
  record.audio = async function* () {
    seen.push(storing.has(record.id));
    yield sound;
  };
  const counts = await importing({ storing })(userId, exportOf({ recordings: [record] }), terms);
  expect(counts).toMatchObject({ ...nothing, recordings: 1 });
  expect([seen, storing.size]).toEqual([[true], 0]);
  expect(await recordingOf(userId, record.id)).toMatchObject({
    state: 'done',
    has_audio: true,
    keep_audio: true,
    bytes: sound.length,
  });
});

test.each<[string, Partial<ImportedRecording>, object, object]>([
  ['done, whose audio is missing', { audio: undefined }, { without_audio: 1 }, { state: 'done' }],
  ['done, which had no audio', { audio: undefined, has_audio: false }, {}, { state: 'done' }],
  ['done, which says that it has none', { has_audio: false }, {}, { state: 'done' }],
  [
    'that waits, without its audio',
    { state: 'queued', audio: undefined },
    { without_audio: 1, not_transcribed: 1 },
    { state: 'failed', progress: 0 },
  ],
  [
    'that waits, whose audio was not kept',
    { state: 'queued', has_audio: false },
    { without_audio: 1, not_transcribed: 1 },
    { state: 'failed' },
  ],
])('a recording %s, comes without', async (_, fields, counted, there) => {
  const userId = await person();
  const record = recorded(fields);
  const counts = await importing()(userId, exportOf({ recordings: [record] }), terms);
  expect(counts).toMatchObject({ ...nothing, recordings: 1, ...counted });
  expect(await recordingOf(userId, record.id)).toMatchObject({ has_audio: false, ...there });
});

test('bytes that are no audio do not come along, nor do none at all', async () => {
  for (const bytes of [Buffer.from('#!/bin/sh'), new Uint8Array()]) {
    const userId = await person();
    const record = recorded({}, bytes);
    const counts = await importing()(userId, exportOf({ recordings: [record] }), terms);
    expect(counts).toMatchObject({ ...nothing, recordings: 1, without_audio: 1 });
    expect(await recordingOf(userId, record.id)).toMatchObject({ has_audio: false });
  }
});

test('where the operator keeps no audio, only what waits brings its own, and only for now', async () => {
  const userId = await person();
  const [done, waiting] = [recorded(), recorded({ state: 'queued' })];
  const run = importing({ keepAudio: false });
  expect(await run(userId, exportOf({ recordings: [done, waiting] }), terms)).toMatchObject({
    ...nothing,
    recordings: 2,
    without_audio: 1,
  });
  expect(await recordingOf(userId, done.id)).toMatchObject({ has_audio: false, keep_audio: false });
  expect(await recordingOf(userId, waiting.id)).toMatchObject({
    state: 'queued',
    has_audio: true,
    keep_audio: false,
  });
});

test('a recording whose storing breaks off leaves no row', async () => {
  const userId = await person();
  const storing = new Set<string>();
  const record = recorded();
  record.audio = async function* () {
    yield sound.subarray(0, 10);
    throw new Error('the file ends here');
  };
  await expect(importing({ storing })(userId, exportOf({ recordings: [record] }), terms)).rejects.toThrow(
    'the file ends here',
  );
  expect(await recordingOf(userId, record.id)).toBeUndefined();
  expect(storing.size).toBe(0);
});

test.each([
  ['of the largest size', 1_000, 'done', true, true],
  ['that is larger', 1_001, 'done', true, false],
  ['that is over, where none is kept', 10, 'done', false, false],
  ['that failed, where none is kept', 10, 'failed', false, false],
  ['that waits, where none is kept', 10, 'queued', false, true],
  ['that waits and is larger', 1_001, 'queued', false, false],
] as const)('the audio of a recording %s', (_, bytes, state, keepAudio, comesAlong) => {
  expect(takesAudio({ bytes, state }, terms, keepAudio)).toBe(comesAlong);
});
