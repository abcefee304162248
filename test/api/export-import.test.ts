import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ImportedTranscription, idFor } from '../../src/domain/imported.ts';
import { noteTypes } from '../../src/domain/note.ts';
import * as dictionary from '../../src/features/dictionary/queries.ts';
import { markdownSource } from '../../src/features/import/markdown-source.ts';
import { serverSource } from '../../src/features/import/server-source.ts';
import { zipSource } from '../../src/features/import/zip-source.ts';
import * as snippets from '../../src/features/snippets/queries.ts';
import { sameTextKey } from '../../src/lib/text.ts';
import { newUuid } from '../../src/lib/uuid.ts';
import { openZip } from '../../src/lib/zip.ts';
import { jsonLines, ours, ownTime, recordingRecord, zipped } from '../support/exports.ts';
import { seededRandom } from '../support/random.ts';
import { settled, uploadTo } from '../support/recordings.ts';
import { at, folderRow, insertNote } from '../support/rows.ts';
import { recording } from '../support/speech.ts';
import { anyDatabase, startSteno, type TestSteno } from '../support/steno.ts';

const kinds = ['folders', 'notes', 'transcriptions', 'recordings', 'dictionary', 'snippets'] as const;

describe.each(anyDatabase)('export and import on %s', (databaseKind) => {
  let from: TestSteno;
  let to: TestSteno;
  const dir = mkdtempSync(join(tmpdir(), 'steno-export-'));
  beforeAll(async () => {
    from = await startSteno({ databaseKind });
    to = await startSteno({ databaseKind });
  });
  afterAll(async () => {
    await from.close();
    await to.close();
    rmSync(dir, { recursive: true });
  });

  async function exported(steno: TestSteno, key: string): Promise<string> {
    const { statusCode, headers, rawPayload } = await steno.app.inject({
      url: '/api/v1/export',
      headers: { authorization: `Bearer ${key}` },
    });
    expect([statusCode, headers['content-type']]).toEqual([200, 'application/zip']);
    const file = join(dir, `${newUuid()}.zip`);
    writeFileSync(file, rawPayload);
    return file;
  }

  /** Every record of the archive, without whose it is. */
  async function recordsOf(file: string) {
    const zip = await openZip(file, { maxLineBytes: 1e7, maxBytes: 1e9 });
    const records: Record<string, unknown[]> = {};
    for (const kind of kinds) {
      const found: unknown[] = [];
      for await (const line of zip.lines(`data/${kind}.jsonl`))
        found.push({ ...JSON.parse(String(line)), user_id: undefined, edited_by: undefined });
      records[kind] = found;
    }
    zip.close();
    return records;
  }

  async function importInto(steno: TestSteno, userId: string, file: string) {
    const { close, ...source } = await zipSource(file);
    return steno.imports.run(userId, source).finally(close);
  }

  /** `POST /import` with the bytes of a zip. */
  async function send(steno: TestSteno, key: string, payload: Buffer, more: Record<string, string> = {}) {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/zip', ...more };
    const answer = await steno.app.inject({ method: 'POST', url: '/api/v1/import', payload, headers });
    return { status: answer.statusCode, body: answer.json() };
  }

  const text = fc.string({ unit: 'grapheme', maxLength: 30 }).filter((value) => !value.includes('\0'));
  const nameable = text.filter((value) => sameTextKey(value) !== '' && value === value.trim());
  const content = fc.record({
    folders: fc.uniqueArray(nameable, { maxLength: 4, selector: sameTextKey }),
    words: fc.uniqueArray(nameable, { maxLength: 4, selector: sameTextKey }),
    triggers: fc.uniqueArray(nameable, { maxLength: 4, selector: sameTextKey }),
    notes: fc.array(
      fc.record({
        title: fc.option(text),
        content: text,
        enhanced_content: fc.option(text),
        transcript: fc.option(text),
        participants: fc.option(text),
        note_type: fc.constantFrom(...noteTypes),
        pinned: fc.boolean(),
        second: fc.nat(1000),
        inFolder: fc.boolean(),
        spoken: fc.option(text),
      }),
      { maxLength: 30 },
    ),
  });
  type Content = typeof content extends fc.Arbitrary<infer Value> ? Value : never;

  async function fill(steno: TestSteno, userId: string, { folders, words, triggers, notes }: Content) {
    const folderIds: string[] = [];
    for (const name of folders) {
      const folder = await steno.store.folders.insert(folderRow(userId, { name }), 50);
      if (typeof folder !== 'string') folderIds.push(folder.id);
    }
    const times = { created_at: at(1), updated_at: at(2) };
    for (const word of words)
      await steno.database.write((tx) =>
        dictionary.add(tx, userId, [{ id: newUuid(), word, source: 'learned', ...times }]),
      );
    for (const trigger of triggers)
      await steno.database.write((tx) =>
        snippets.insert(tx, userId, [{ ...times, id: newUuid(), trigger, replacement: trigger }]),
      );
    for (const { second, inFolder, spoken, ...fields } of notes) {
      const { row } = await insertNote(steno.store, userId, {
        ...fields,
        transcript: spoken,
        content_is_transcript: spoken !== null,
        folder_id: inFolder ? (folderIds[0] ?? null) : null,
        created_at: at(second),
        updated_at: at(second + 1),
      });
      if (spoken !== null)
        await steno.store.imports.insertTranscription(transcriptionOf(userId, row.id, spoken));
    }
  }

  test('what is exported and imported into an empty server is the same, and a second import adds nothing', async () => {
    await fc.assert(
      fc.asyncProperty(content, async (given) => {
        const [ada, eve] = [await from.person(), await to.person()];
        await fill(from, ada.user.id, given);
        const file = await exported(from, ada.key);
        const counts = await importInto(to, eve.user.id, file);
        expect([counts.notes, counts.folders, counts.known]).toEqual([
          given.notes.length,
          given.folders.length,
          0,
        ]);
        const records = await recordsOf(file);
        expect(await recordsOf(await exported(to, eve.key))).toEqual(records);
        const again = await importInto(to, eve.user.id, file);
        const all = Object.values(records).reduce((sum, some) => sum + some.length, 0);
        expect(again).toEqual({
          folders: 0,
          tags: 0,
          notes: 0,
          transcriptions: 0,
          recordings: 0,
          dictionary_words: 0,
          snippets: 0,
          known: all,
          without_audio: 0,
          not_transcribed: 0,
        });
        expect(await recordsOf(await exported(to, eve.key))).toEqual(records);
      }),
      { numRuns: 8, seed: 14 },
    );
  });

  test('an export that is sent to another server gives the same data, as far as the key may write', async () => {
    const [ada, eve] = [await from.person(), await to.person()];
    const [given] = fc.sample(content, { numRuns: 1, seed: 8 });
    if (!given) expect.fail();
    await fill(from, ada.user.id, { ...given, words: ['one'], triggers: ['two'] });
    const file = await exported(from, ada.key);
    const records = await recordsOf(file);
    const writer = await to.person({
      scopes: ['notes:write', 'notes:read', 'snippets:write', 'snippets:read'],
    });
    const part = await send(to, writer.key, readFileSync(file));
    expect(part.body.data).toMatchObject({ dictionary_words: 0, snippets: 1 });
    expect(part.body.data.left_out).toEqual(['transcriptions', 'recordings', 'dictionary']);
    await to.users.remove(writer.user.id);
    const once = { 'idempotency-key': 'one' };
    const { status, body } = await send(to, eve.key, readFileSync(file), once);
    // Its answer comes again, with what was added by the first.
    expect(await send(to, eve.key, readFileSync(file), once)).toEqual({ status, body });
    expect((await send(to, eve.key, Buffer.from('another'), once)).status).toBe(400);
    const { notes, folders, known, left_out } = body.data;
    expect([status, notes, folders, known, left_out]).toEqual([
      200,
      given.notes.length,
      given.folders.length,
      0,
      [],
    ]);
    const there = await exported(to, eve.key);
    expect(alike(await recordsOf(there))).toEqual(alike(records));
    expect((await send(to, eve.key, readFileSync(file))).body.data).toMatchObject({ notes: 0, folders: 0 });
    // It comes back to where it was made, under the ids of the other server, and is known.
    const back = (await send(from, ada.key, readFileSync(there))).body.data;
    expect(back).toMatchObject({ notes: 0, folders: 0, transcriptions: 0, dictionary_words: 0, snippets: 0 });
    expect(await recordsOf(await exported(from, ada.key))).toEqual(records);
  });

  test('the sound of recordings goes along, with its words and its note', async () => {
    const ada = await from.person();
    const sound = Buffer.from(recording({ ms: 2_000 }));
    const query = '?name=Monday%3A%20plan.wav&note=true';
    const { body } = await uploadTo(from, ada.key, sound, query);
    const there = await settled(from, ada.key, body.data.id);
    expect(there.transcription_id).not.toBeNull();
    const file = await exported(from, ada.key);
    const zip = await openZip(file, { maxLineBytes: 1e7, maxBytes: 1e9 });
    expect(zip.has(`recordings/Monday plan ${there.id.slice(-12)}.wav`)).toBe(true);
    zip.close();

    const eve = await to.person();
    const sent = await send(to, eve.key, readFileSync(file));
    expect(sent).toMatchObject({
      status: 200,
      body: { data: { recordings: 1, transcriptions: 1, notes: 1 } },
    });
    const idOf = (id: string | null) => idFor(eve.user.id, id ?? '');
    const here = (await to.call('GET', `/recordings/${idOf(there.id)}`, { key: eve.key })).body.data;
    expect(here).toEqual({
      ...there,
      id: idOf(there.id),
      transcription_id: idOf(there.transcription_id),
      note_id: idOf(there.note_id),
      user_id: eve.user.id,
    });
    const played = await to.app.inject({
      url: `/api/v1/recordings/${here.id}/audio`,
      headers: { authorization: `Bearer ${eve.key}` },
    });
    expect(played.rawPayload.equals(sound)).toBe(true);
    expect((await send(to, eve.key, readFileSync(file))).body.data).toMatchObject({
      recordings: 0,
      known: 3,
    });
  });

  test('a recording whose type a browser would run is refused', async () => {
    const { key } = await to.person();
    const record = recordingRecord({ media_type: 'text/html', state: 'done' });
    const zip = await zipped({ ...ours, 'data/recordings.jsonl': jsonLines(record) });
    expect((await send(to, key, zip)).status).toBe(400);
    expect((await to.call('GET', '/recordings', { key })).body.data).toEqual([]);
  });

  test('a damaged export, a bomb and what other routes refuse are a clear 4xx and change nothing', {
    tags: 'slow',
  }, async () => {
    const [ada, eve] = [await from.person(), await to.person()];
    await fill(from, ada.user.id, { folders: ['One'], words: [], triggers: [], notes: [] });
    for (let count = 0; count < 50; count += 1)
      await insertNote(from.store, ada.user.id, { content: `word ${count} `.repeat(50) });
    const whole = readFileSync(await exported(from, ada.key));
    const turned = Buffer.from(whole);
    const middle = whole.indexOf('data/notes.jsonl') + 500;
    turned[middle] = (whole[middle] ?? 0) ^ 0xff;
    const record = (name: string) => JSON.stringify({ ...folderRow(eve.user.id, { name }), sort_order: 1 });
    const folder = record('x');
    const folders = Array.from({ length: 51 }, (_, at) => record(`f${at}`)).join('\n');
    const sent: [string, Buffer, number, string][] = [
      ['nothing', Buffer.alloc(0), 400, 'validation_error'],
      ['no zip', Buffer.from('PK not a zip'), 400, 'validation_error'],
      ['cut off', whole.subarray(0, whole.length / 2), 400, 'validation_error'],
      ['one byte turned', turned, 400, 'validation_error'],
      ['another zip', await zipped({ 'readme.txt': 'x' }), 400, 'validation_error'],
      [
        'a bad record',
        await zipped({ ...ours, 'data/folders.jsonl': `${folder}\n{"id":1}` }),
        400,
        'validation_error',
      ],
      [
        'a bomb',
        await zipped({ ...ours, 'data/folders.jsonl': folder, 'data/notes.jsonl': ' '.repeat(2e7) }),
        413,
        'payload_too_large',
      ],
      [
        'a null',
        await zipped({ ...ours, 'data/folders.jsonl': folder.replace('"x"', '"\\u0000"') }),
        400,
        'validation_error',
      ],
      [
        'a long name',
        await zipped({ ...ours, 'data/folders.jsonl': folder.replace('"x"', `"${'x'.repeat(101)}"`) }),
        400,
        'validation_error',
      ],
      ['too many folders', await zipped({ ...ours, 'data/folders.jsonl': folders }), 400, 'limit_reached'],
    ];
    for (const [name, payload, status, code] of sent) {
      const answer = await send(to, eve.key, payload);
      expect([name, answer.status, answer.body.error?.code]).toEqual([name, status, code]);
    }
    const form = { 'content-type': 'multipart/form-data; boundary=x' };
    const asForm = await to.call('POST', '/import', { key: eve.key, headers: form, body: '--x--' });
    expect(asForm.body.error.message).toBe('Send the file itself as the body, not a form.');
    expect((await to.call('GET', '/notes/list', { key: eve.key })).body.data).toEqual([]);
    expect((await to.call('GET', '/folders/list', { key: eve.key })).body.data).toEqual([]);
    // No file is left behind.
    expect(readdirSync(to.config.dataDir).filter((name) => name.includes('incoming'))).toEqual([]);
    const twice = await Promise.all([send(to, eve.key, whole), send(to, eve.key, whole)]);
    expect(twice.map(({ status }) => status).toSorted()).toEqual([200, 409]);
  });

  test('somebody else on the same server gets a copy of their own', async () => {
    const [ada, eve] = [await from.person(), await from.person()];
    await insertNote(from.store, ada.user.id, { content: 'shared walrus' });
    const file = await exported(from, ada.key);
    expect(await importInto(from, eve.user.id, file)).toMatchObject({ notes: 1, known: 0 });
    expect(await importInto(from, eve.user.id, file)).toMatchObject({ notes: 0, known: 1 });
    const search = { key: eve.key, body: { query: 'walrus' } };
    expect((await from.call('POST', '/notes/search', search)).body.data).toHaveLength(1);
  });

  test('words that were added to a copy on another server come back to the note that it was made from', async () => {
    const [ada, eve] = [await from.person(), await to.person()];
    const { row } = await insertNote(from.store, ada.user.id, { content: 'first' });
    await send(to, eve.key, readFileSync(await exported(from, ada.key)));
    const [copy] = (await to.call('GET', '/notes/list', { key: eve.key })).body.data;
    expect(copy.id).not.toBe(row.id);
    await to.store.imports.insertTranscription(transcriptionOf(eve.user.id, copy.id, 'added later'));
    const there = await exported(to, eve.key);
    expect((await send(from, ada.key, readFileSync(there))).body.data).toMatchObject({
      notes: 0,
      transcriptions: 1,
    });
    const { transcriptions } = await recordsOf(await exported(from, ada.key));
    expect(transcriptions).toMatchObject([{ note_id: row.id, text: 'added later' }]);
  });

  test('the archive has Markdown in folders and subtitles, under names that every system takes', async () => {
    const { user, key } = await from.person();
    const folder = await from.store.folders.insert(folderRow(user.id, { name: 'A/B: "x"' }), 50);
    if (typeof folder === 'string') expect.fail();
    const { row } = await insertNote(from.store, user.id, {
      title: '../../etc/passwd',
      content: 'body',
      folder_id: folder.id,
    });
    const record = transcriptionOf(user.id, row.id, 'Hello there');
    await from.store.imports.insertTranscription(record);
    const zip = await openZip(await exported(from, key), { maxLineBytes: 1e6, maxBytes: 1e6 });
    /** Without empty lines. */
    const read = async (path: string) => (await all(zip.lines(path))).join('\n');
    const markdown = await read(`notes/A B x/etc passwd ${row.id.slice(-12)}.md`);
    expect(markdown).toContain('title: "../../etc/passwd"\nfolder: "A/B: \\"x\\""');
    expect(markdown).toMatch(/---\nbody$/);
    expect(await read(`subtitles/${record.id}.srt`)).toContain('Hello there');
    zip.close();
  });

  test('a key exports only what it may read, and a team only its space', async () => {
    const { user, key } = await from.person({ scopes: ['notes:read'] });
    await fill(from, user.id, { folders: [], words: ['secretword'], triggers: ['secrettrigger'], notes: [] });
    const records = await recordsOf(await exported(from, key));
    expect([records.dictionary, records.snippets]).toEqual([[], []]);
    const team = await from.team();
    expect((await from.call('GET', '/export', { key: team.key })).status).toBe(400);
  });

  test('what is no export, or too large, is refused', async () => {
    const file = join(dir, 'none.zip');
    writeFileSync(file, 'PK not a zip');
    await expect(zipSource(file)).rejects.toThrow('is not an export of Steno');
    const { user, key } = await from.person();
    await insertNote(from.store, user.id, { content: 'x'.repeat(100_000) });
    const zip = await openZip(await exported(from, key), { maxLineBytes: 50_000, maxBytes: 1e9 });
    await expect(all(zip.lines('data/notes.jsonl'))).rejects.toThrow('too long');
    zip.close();
  });

  test('a folder of Markdown becomes notes in folders, once', async () => {
    const { user, key } = await to.person();
    const vault = join(dir, `vault-${databaseKind}`);
    mkdirSync(join(vault, 'Work', 'Deep'), { recursive: true });
    mkdirSync(join(vault, '.obsidian'));
    writeFileSync(join(vault, 'Top.md'), 'top');
    writeFileSync(join(vault, '.obsidian', 'hidden.md'), 'hidden');
    writeFileSync(
      join(vault, 'Work', 'Plan.md'),
      '---\ntitle: "The plan"\ncreated: 2024-02-03\ntags: [a]\n---\n\n# Plan\n',
    );
    writeFileSync(join(vault, 'Work', 'Deep', 'Large.md'), 'x'.repeat(1_000_001));
    symlinkSync('/etc', join(vault, 'link'));
    const leftOut: string[] = [];
    const source = () => markdownSource(vault, user.id, (file) => leftOut.push(file));
    expect(await to.imports.run(user.id, source())).toMatchObject({ notes: 2, folders: 2, known: 0 });
    expect(leftOut).toEqual([join(vault, 'Work', 'Deep', 'Large.md')]);
    expect(await to.imports.run(user.id, source())).toMatchObject({ notes: 0, folders: 0, known: 4 });
    const { data } = (await to.call('GET', '/notes/list', { key })).body;
    expect(data).toHaveLength(2);
    expect(data.find(({ title }: { title: string }) => title === 'The plan')).toMatchObject({
      content: '# Plan\n',
      created_at: '2024-02-03T00:00:00.000Z',
      folder_id: expect.any(String),
    });
  });

  test('a zip of Markdown becomes notes in folders, once; what is changed is a note beside', async () => {
    const { key } = await to.person();
    const files = {
      'Top.md': 'top',
      'Work/Plan.md': '---\ntitle: "The plan"\ncreated: 2024-02-03\n---\n\n# Plan\n',
      'Work/picture.png': 'not read',
      'Work/.hidden.md': 'hidden',
      '__MACOSX/._Top.md': 'hidden',
    };
    const changed = '---\ncreated: 2025-02-03\n---\nchanged';
    const sent = async (more = {}) => send(to, key, await zipped({ ...files, ...more }));
    expect((await sent()).body.data).toMatchObject({ notes: 2, folders: 1, known: 0 });
    expect((await sent()).body.data).toMatchObject({ notes: 0, folders: 0, known: 3 });
    expect((await sent({ 'Top.md': changed })).body.data).toMatchObject({ notes: 1, known: 2 });
    const { data } = (await to.call('GET', '/notes/list', { key })).body;
    const texts = data.map(({ title, content }: Record<string, string>) => `${title}: ${content}`);
    expect(texts.sort()).toEqual(['The plan: # Plan\n', 'Top: changed', 'Top: top']);
    expect(data.find(({ title }: { title: string }) => title === 'The plan')).toMatchObject({
      created_at: '2024-02-03T00:00:00.000Z',
      folder_id: expect.any(String),
    });
  });

  test('a zip with a file that is too large or not text is refused, and nothing of it stays', async () => {
    const { key } = await to.person();
    const good = { 'Top.md': 'top' };
    for (const bad of ['x'.repeat(1_000_001), 'a\0b', Buffer.from([0xff, 0xfe, 0x41])]) {
      const { status, body } = await send(to, key, await zipped({ ...good, 'Work/Bad.md': bad }));
      expect([status, body.error?.message]).toEqual([400, expect.stringContaining('Work/Bad.md is larger')]);
    }
    const flipped = await zipped({ 'Top.md': Buffer.from('top') });
    flipped[flipped.indexOf('top')] = 0x54;
    expect((await send(to, key, flipped)).status).toBe(400);
    expect((await to.call('GET', '/notes/list', { key })).body.data).toEqual([]);
    const [odd] = ['A'.repeat(700), '\u200b'].map((name) => ({ [`${name}/Note.md`]: 'odd', ...good }));
    expect((await send(to, key, await zipped(odd ?? {}))).body.data).toMatchObject({ notes: 1, folders: 0 });
  });

  test('everything comes over from a server that answers 429 and 500 at random, and an import that broke off goes on', async () => {
    const [ada, eve] = [await from.person(), await to.person()];
    const notes = fc.sample(content, { numRuns: 6, seed: 3 }).flatMap((given) => given.notes);
    await fill(from, ada.user.id, { folders: ['One', 'Two'], words: ['a', 'b'], triggers: ['t'], notes });
    const random = seededRandom(5);
    let requests = 0;
    let breaksAt = 20;
    const waits: number[] = [];
    const server = createServer(async (request, response) => {
      requests += 1;
      const dice = random.between(0, 3);
      if (requests === breaksAt) response.writeHead(401).end('{}');
      else if (dice === 0) response.writeHead(429, { 'retry-after': '7' }).end('{}');
      else if (dice === 1) response.writeHead(500).end('oops');
      else {
        const { statusCode, body } = await from.app.inject({
          url: request.url ?? '',
          headers: { authorization: request.headers.authorization },
        });
        response.writeHead(statusCode, { 'content-type': 'application/json' }).end(body);
      }
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const source = () =>
      serverSource(`http://127.0.0.1:${port}`, ada.key, {
        wait: async (seconds) => waits.push(seconds),
      });
    await expect(to.imports.run(eve.user.id, source())).rejects.toThrow('answered 401');
    breaksAt = 0;
    const rest = await to.imports.run(eve.user.id, source());
    server.close();
    expect(rest.known).toBeGreaterThan(0);
    expect(rest.notes + rest.known).toBeGreaterThanOrEqual(notes.length);
    expect(waits).toContain(7);
    const [there, here] = [
      await recordsOf(await exported(from, ada.key)),
      await recordsOf(await exported(to, eve.key)),
    ];
    expect(here).toEqual(there);
  });
});

async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const found: Item[] = [];
  for await (const item of items) found.push(item);
  return found;
}

/** The records without their ids, in an order of their own: by request they get others. */
function alike({ folders = [], ...records }: Record<string, unknown[]>) {
  const names = new Map(folders.map((one) => [Object(one).id, Object(one).name]));
  const contents = new Map((records.notes ?? []).map((one) => [Object(one).id, Object(one).client_note_id]));
  const plain = (record: unknown) => {
    const { id: _, folder_id, note_id, ...rest } = Object(record);
    return JSON.stringify({ ...rest, folder: names.get(folder_id), note: contents.get(note_id) });
  };
  return Object.values({ folders, ...records }).map((some) => some.map(plain).toSorted());
}

function transcriptionOf(user_id: string, note_id: string, text: string): ImportedTranscription {
  const words = [{ word: text, start: 0, end: 2, score: 0.5 }];
  const segments = JSON.stringify([{ start: 0, end: 2, text, speaker: 'Speaker 1', words }]);
  return {
    id: newUuid(),
    user_id,
    note_id,
    status: 'completed',
    reason: null,
    text,
    word_count: 1,
    source: 'cloud',
    provider: null,
    model: 'base',
    language: 'en',
    audio_duration_ms: 2000,
    processing_ms: 5,
    segments,
    created_at: ownTime(),
  };
}
