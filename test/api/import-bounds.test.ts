import { once } from 'node:events';
import { readdirSync, writeFileSync } from 'node:fs';
import { get, request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { idFor } from '../../src/domain/imported.ts';
import { operator } from '../../src/domain/principal.ts';
import { importSent } from '../../src/features/import/imports.ts';
import { zipSource } from '../../src/features/import/zip-source.ts';
import { newUuid } from '../../src/lib/uuid.ts';
import { jsonLines, noteRecord, ours, recordingFiles, recordingRecord, zipped } from '../support/exports.ts';
import { principalOf } from '../support/principal.ts';
import { insertNote } from '../support/rows.ts';
import { recording } from '../support/speech.ts';
import { anyDatabase, startSteno, type TestSteno, testPlans } from '../support/steno.ts';
import { countTurns } from '../support/turns.ts';

const config = {
  plans: {
    ...testPlans,
    free: { ...testPlans.free, requestsPerMinute: 1_000 },
    business: { ...testPlans.business, recordingMaxBytes: 1_000 },
  },
};

const addressOf = async ({ app }: TestSteno) =>
  app.server.listening ? app.listeningOrigin : app.listen({ port: 0, host: '127.0.0.1' });

/** `POST /import` with the bytes of a zip. */
async function send(steno: TestSteno, key: string, payload: Buffer, more: Record<string, string> = {}) {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/zip', ...more };
  const answer = await steno.app.inject({ method: 'POST', url: '/api/v1/import', payload, headers });
  return { status: answer.statusCode, body: answer.json() };
}

/** An import that has been let in and waits for its file. */
function waitingImport(steno: TestSteno, userId: string) {
  const receive = (signal: AbortSignal) =>
    new Promise<number>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  return importSent(steno.as(principalOf(userId)), receive);
}

/** A client that has asked for an export of 20 MB and reads none of it. */
async function unreadExport(steno: TestSteno, { user, key }: { user: { id: string }; key: string }) {
  const file = join(steno.config.dataDir, 'large.zip');
  const audio = recordingFiles(recording({ bytes: 20_000_000 }), { state: 'done' });
  writeFileSync(file, await zipped({ ...ours, ...audio }));
  const { close, ...source } = await zipSource(file);
  await steno.imports.run(user.id, source).finally(close);
  const address = await addressOf(steno);
  const headers = { authorization: `Bearer ${key}` };
  const asked = get(`${address}/api/v1/export`, { headers });
  await once(asked, 'response');
  return asked;
}

describe.each(anyDatabase)('imports on %s', (databaseKind) => {
  let steno: TestSteno;
  beforeAll(async () => {
    steno = await startSteno({ databaseKind, config });
  });
  afterAll(() => steno.close());

  const everything = async (key: string) =>
    Promise.all(
      ['/notes/list', '/folders/list', '/recordings', '/transcriptions/list', '/dictionary/list'].map(
        async (path) => (await steno.call('GET', path, { key })).body.data,
      ),
    );
  const nothing = [[], [], [], [], []];

  test('a waiting recording is not transcribed where the plan or the workspace does not allow it', async () => {
    const free = await steno.person({ plan: 'free' });
    const managed = await steno.person();
    const { workspace } = await steno.team();
    await steno.members.add(operator, workspace.id, { user_id: managed.user.id, role: 'member' });
    await steno.members.update(operator, workspace.id, managed.user.id, { managed: true });
    await steno.policies.update(operator, workspace.id, { block_cloud_transcription: true });
    for (const [{ key }, why] of [
      [free, 'The plan free does not include transcription'],
      [managed, 'policy turns off cloud transcription'],
    ] as const)
      for (const state of ['queued', 'transcribing'] as const) {
        const zip = await zipped({ ...ours, ...recordingFiles(recording(), { state }) });
        const { status, body } = await send(steno, key, zip);
        expect([status, body.data.recordings, body.data.not_transcribed]).toEqual([200, 1, 1]);
        const [{ id, ...there }] = (await steno.call('GET', '/recordings', { key })).body.data;
        expect(there).toMatchObject({ state: 'failed', has_audio: true, transcription_id: null });
        expect(there.error).toContain(why);
        expect((await steno.call('POST', `/recordings/${id}/retry`, { key })).status).toBe(403);
      }
  });

  test('a waiting recording is transcribed where that is allowed, under a type by its content', {
    tags: 'slow',
  }, async () => {
    const { key } = await steno.person();
    const zip = await zipped({ ...ours, ...recordingFiles(recording(), { media_type: 'audio/flac' }) });
    expect((await send(steno, key, zip)).body.data).toMatchObject({ recordings: 1, not_transcribed: 0 });
    const listed = async () => (await steno.call('GET', '/recordings', { key })).body.data[0];
    await expect.poll(listed).toMatchObject({ state: 'done', media_type: 'audio/wav' });
  });

  test('audio that an upload would not be allowed to bring stays out, and the answer counts it', async () => {
    const { key } = await steno.person();
    const large = recording({ bytes: 1_001 });
    const files: [string, Record<string, string | Uint8Array>, string][] = [
      ['too large', recordingFiles(large), 'failed'],
      ['too large and over', recordingFiles(large, { state: 'done' }), 'done'],
      ['too large and failed', recordingFiles(large, { state: 'failed' }), 'failed'],
      ['no audio', recordingFiles(Buffer.from('<script>'), { state: 'done' }), 'done'],
      ['not there', { 'data/recordings.jsonl': jsonLines(recordingRecord({ bytes: 5 })) }, 'failed'],
    ];
    for (const [name, parts, state] of files) {
      const { body } = await send(steno, key, await zipped({ ...ours, ...parts }));
      expect([name, body.data?.recordings, body.data?.without_audio]).toEqual([name, 1, 1]);
      const [{ id, ...there }] = (await steno.call('GET', '/recordings', { key })).body.data;
      expect([name, there.has_audio, there.state]).toEqual([name, false, state]);
      expect((await steno.call('GET', `/recordings/${id}/audio`, { key })).status).toBe(404);
      await steno.call('DELETE', `/recordings/${id}`, { key });
    }
  });

  test('damaged audio is refused, and nothing of the export stays', async () => {
    const { key } = await steno.person();
    const audio = recording({ bytes: 900 });
    const files = { ...ours, 'data/notes.jsonl': jsonLines(noteRecord()), ...recordingFiles(audio) };
    const whole = await zipped(files);
    const flipped = Buffer.from(whole);
    flipped[whole.indexOf('audio 1000') + 500] = 0;
    const short = { ...files, ...recordingFiles(audio, { bytes: 901 }) };
    for (const zip of [flipped, await zipped(short)]) {
      const { status, body } = await send(steno, key, zip);
      expect([status, body.error.code]).toEqual([400, 'validation_error']);
    }
    expect(await everything(key)).toEqual(nothing);
    expect((await send(steno, key, whole)).body.data).toMatchObject({ notes: 1, recordings: 1 });
  });

  test('nobody learns from an import whether somebody else has an id, and twice makes nothing twice', async () => {
    const [ada, eve] = [await steno.person(), await steno.person()];
    const { row } = await insertNote(steno.store, ada.user.id);
    const free = newUuid();
    const zip = await zipped({
      ...ours,
      'data/notes.jsonl': jsonLines(noteRecord({ id: row.id }), noteRecord({ id: free })),
    });
    expect((await send(steno, eve.key, zip)).body.data).toMatchObject({ notes: 2, known: 0 });
    const { data } = (await steno.call('GET', '/notes/list', { key: eve.key })).body;
    const ids = data.map(({ id }: { id: string }) => id).toSorted();
    expect(ids).toEqual([idFor(eve.user.id, row.id), idFor(eve.user.id, free)].toSorted());
    expect((await send(steno, eve.key, zip)).body.data).toMatchObject({ notes: 0, known: 2 });
    // Whose it is, keeps it.
    expect((await send(steno, ada.key, zip)).body.data).toMatchObject({ notes: 1, known: 1 });
  });

  test('two imports of the same file at once make nothing twice', async () => {
    const people = [await steno.person(), await steno.person()];
    const zip = await zipped({ ...ours, 'data/notes.jsonl': jsonLines(noteRecord(), noteRecord()) });
    const answers = await Promise.all(
      people.map(({ key }) => send(steno, key, zip, { 'idempotency-key': 'x' })),
    );
    expect(answers.map(({ body }) => body.data.notes)).toEqual([2, 2]);
    for (const { key } of people)
      expect((await steno.call('GET', '/notes/list', { key })).body.data).toHaveLength(2);
  });

  test('a person who waits for nobody: one import each, and a hung-up one makes room', async () => {
    const [ada, eve] = [await steno.person(), await steno.person()];
    const zip = await zipped(ours);
    const address = await addressOf(steno);
    const headers = { authorization: `Bearer ${ada.key}`, 'content-length': zip.length };
    const first = request(`${address}/api/v1/import`, { method: 'POST', headers });
    const isLetIn = vi.spyOn(steno.parts.imports, 'run');
    first.on('error', () => {}).flushHeaders();
    await expect.poll(() => isLetIn.mock.calls.length).toBe(1);
    isLetIn.mockRestore();
    const second = await send(steno, ada.key, zip);
    expect([second.status, second.body.error.code]).toEqual([409, 'concurrency_limit']);
    expect((await send(steno, eve.key, zip)).status).toBe(200);
    first.destroy();
    await expect.poll(async () => (await send(steno, ada.key, zip)).status).toBe(200);
    expect(readdirSync(steno.config.dataDir).filter((name) => name.includes('incoming'))).toEqual([]);
  });

  test('one export at a time for a person; a client that is gone makes room, and HEAD reads nothing', async () => {
    const [ada, eve] = [await steno.person(), await steno.person()];
    const unread = await unreadExport(steno, ada);
    const second = await steno.call('GET', '/export', { key: ada.key });
    expect([second.status, second.body.error.code]).toEqual([409, 'concurrency_limit']);
    expect((await steno.call('HEAD', '/export', { key: ada.key })).status).toBe(200);
    expect((await steno.call('GET', '/export', { key: eve.key })).status).toBe(200);
    unread.destroy();
    await expect.poll(async () => (await steno.call('GET', '/export', { key: ada.key })).status).toBe(200);
  });
});

describe('what an import may hold', () => {
  let steno: TestSteno;
  beforeAll(async () => {
    steno = await startSteno({ config });
  });
  afterAll(() => steno.close());

  const nested = `${'['.repeat(3_900_000)}${']'.repeat(3_900_000)}`;
  const bombs: [string, () => Record<string, string>, number][] = [
    ['20 MB of line feeds', () => ({ 'data/notes.jsonl': '\n'.repeat(20_000_000) }), 413],
    ['a line of nested arrays', () => ({ 'data/notes.jsonl': nested }), 400],
    ['a line of 8 MB of empty arrays', () => ({ 'data/notes.jsonl': `[${'[],'.repeat(2_700_000)}1]` }), 400],
    [
      'wrong segments',
      () => ({ 'data/transcriptions.jsonl': `{"segments":[${'1,'.repeat(450_000)}1]}` }),
      400,
    ],
    ['a name of 8 MB', () => ({ 'data/folders.jsonl': `{"name":"${'\uFDFA'.repeat(2_600_000)}"}` }), 400],
    ['40 MB of blanks', () => ({ 'data/snippets.jsonl': ' '.repeat(40_000_000) }), 413],
  ];
  test.each(bombs)('%s: refused, and no turn of the event loop is blocked', async (_name, files, status) => {
    const { key } = await steno.person();
    const zip = await zipped({ ...ours, ...files() });
    const { blocked, longestMs } = await countTurns(async () => {
      const { status: answered, body } = await send(steno, key, zip);
      expect([answered, Object.keys(body)]).toEqual([status, ['error']]);
    });
    expect(blocked, `${longestMs} ms`).toBe(0);
  });

  test('a note of seven megabytes is 400 and names the field', async () => {
    const { key } = await steno.person();
    const note = noteRecord({ content: 'x'.repeat(7_000_000) });
    const { status, body } = await send(
      steno,
      key,
      await zipped({ ...ours, 'data/notes.jsonl': jsonLines(note) }),
    );
    expect([status, body.error.message]).toEqual([
      400,
      'data/notes.jsonl of the file, record 1: content must have at most 1048576 characters.',
    ]);
  });

  test('a compressed body is no export', async () => {
    const { key } = await steno.person();
    const body = gzipSync(await zipped({ ...ours, 'data/notes.jsonl': jsonLines(noteRecord()) }));
    expect((await send(steno, key, body, { 'content-encoding': 'gzip' })).status).toBe(400);
    expect((await steno.call('GET', '/notes/list', { key })).body.data).toEqual([]);
  });

  test('a server that closes ends the imports that run, and takes no more', async () => {
    const other = await startSteno({ config });
    const { user } = await other.person();
    const running = waitingImport(other, user.id);
    const refused = expect(running).rejects.toMatchObject({ code: 'service_unavailable' });
    await other.parts.imports.close();
    await refused;
    await expect(waitingImport(other, user.id)).rejects.toMatchObject({ code: 'service_unavailable' });
    await other.close();
  });

  test('a client that hangs up while its file is read ends the reading', async () => {
    const { key } = await steno.person();
    const address = await addressOf(steno);
    const line = JSON.stringify(noteRecord({ content: 'word '.repeat(20_000) }));
    function* lines() {
      for (let at = 0; at < 180; at += 1) yield `${line}\n`;
    }
    const zip = await zipped({ ...ours, 'data/notes.jsonl': lines(), 'data/snippets.jsonl': '{}' });
    const gone = new AbortController();
    const body = new Uint8Array(zip);
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/zip' };
    const url = `${address}/api/v1/import`;
    const sent = fetch(url, { method: 'POST', headers, body, signal: gone.signal }).catch(() => 'gone');
    await sleep(50);
    gone.abort();
    const answer = await sent;
    // It was reading, or had already refused the snippet. Its place is free.
    if (typeof answer !== 'string') expect(answer.status).toBe(400);
    await expect.poll(async () => (await send(steno, key, await zipped(ours))).status).toBe(200);
    expect((await steno.call('GET', '/notes/list', { key })).body.data).toEqual([]);
  });
});
