import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { audioPath } from '../../src/domain/export.ts';
import { defaultPlans } from '../../src/domain/plans.ts';
import { jsonLines, noteRecord, ours, recordingRecord, zipped } from '../support/exports.ts';
import { createFakeSpeech, recording } from '../support/speech.ts';
import { anyDatabase, startSteno, type TestSteno } from '../support/steno.ts';

const limits = { storageBytes: 1_500, openUploads: 3 };
const plans = {
  ...defaultPlans,
  pro: { ...defaultPlans.pro, ...limits, recordingMaxBytes: 1_000, requestsPerMinute: 1_000 },
  business: { ...defaultPlans.business, ...limits },
};

// The sum is taken in the write that takes the room, which is the work of each database.
describe.each(anyDatabase)('storage of a person on %s', (databaseKind) => {
  let steno: TestSteno;
  /** Runs between two recordings of an import, when the first is stored. */
  let amidImport: (() => Promise<void>) | undefined;
  beforeAll(async () => {
    const { decoder, ...speech } = createFakeSpeech();
    const identify: typeof decoder.identify = async (file) => {
      const meanwhile = amidImport;
      amidImport = undefined;
      await meanwhile?.();
      return decoder.identify(file);
    };
    steno = await startSteno({
      databaseKind,
      speech: { ...speech, decoder: { ...decoder, identify } },
      config: { plans },
    });
  });
  afterAll(() => steno.close());

  const file = recording({ ms: 1_000, bytes: 600 });
  const post = (key: string, headers = {}) =>
    steno.call('POST', '/recordings', {
      key,
      body: file,
      headers: { 'content-type': 'audio/wav', ...headers },
    });
  const create = (key: string, headers: Record<string, string>, body?: Uint8Array) =>
    steno.call('POST', '/recordings/uploads', {
      key,
      body,
      headers: { 'tus-resumable': '1.0.0', ...headers },
    });
  const usage = async (key: string) => (await steno.call('GET', '/usage', { key })).body.data;

  test('ends at the limit of the plan, in a sentence that names it; deleting frees it', async () => {
    const { key } = await steno.person();
    const made = [await post(key), await post(key)];
    expect(made.map(({ status }) => status)).toEqual([201, 201]);
    expect(await usage(key)).toMatchObject({ storage_bytes_used: 1_200, storage_bytes_limit: 1_500 });
    const { status, body } = await post(key);
    expect(status).toBe(403);
    expect(body.error).toMatchObject({
      code: 'plan_required',
      message: expect.stringContaining('at most 1 MB'),
    });
    expect((await steno.call('GET', '/recordings', { key })).body.data).toHaveLength(2);
    const gone = await steno.call('DELETE', `/recordings/${made[0]?.body.data.id}`, { key });
    expect(gone.status).toBe(204);
    expect((await post(key)).status).toBe(201);
  });

  async function importOf(key: string, ...sizes: number[]) {
    const records = sizes.map((bytes) => recordingRecord({ bytes, state: 'done' }));
    const sounds = records.map((one) => [audioPath(one), recording({ bytes: one.bytes })]);
    const zip = await zipped({
      ...ours,
      'data/notes.jsonl': jsonLines(noteRecord()),
      'data/recordings.jsonl': jsonLines(...records),
      ...Object.fromEntries(sounds),
    });
    return () =>
      steno.call('POST', '/import', { key, body: zip, headers: { 'content-type': 'application/zip' } });
  }

  test('ends an import before its first write; what is here already takes no room again', async () => {
    const { key } = await steno.person({ plan: 'pro' });
    const { status, body } = await (await importOf(key, 800, 800))();
    expect([status, body.error?.code]).toEqual([403, 'plan_required']);
    expect(body.error.message).toContain('at most 1 MB');
    for (const path of ['/notes/list', '/recordings'])
      expect((await steno.call('GET', path, { key })).body.data).toEqual([]);
    // The one beyond `recordingMaxBytes` comes without its audio.
    const fitting = await importOf(key, 800, 700, 1_001);
    expect((await fitting()).body.data).toMatchObject({ recordings: 3, without_audio: 1 });
    expect(await usage(key)).toMatchObject({ storage_bytes_used: 1_500 });
    expect((await fitting()).body.data).toMatchObject({ recordings: 0, notes: 0, known: 4 });
  });

  test('that an import was promised is not taken by an upload beside it', async () => {
    const { key } = await steno.person({ plan: 'pro' });
    const bring = await importOf(key, 700, 700);
    const uploaded: number[] = [];
    amidImport = async () => {
      for (const length of ['700', '100'])
        uploaded.push((await create(key, { 'upload-length': length })).status);
      // The minute in which broken uploads are deleted.
      await steno.recordings.tidy();
      uploaded.push((await post(key)).status);
    };
    expect((await bring()).body.data).toMatchObject({ recordings: 2, without_audio: 0 });
    expect(uploaded).toEqual([403, 201, 403]);
    expect(await usage(key)).toMatchObject({ storage_bytes_used: 1_500 });
  });

  test('that an import was promised is free again when it fails, and when its server is gone', async () => {
    const { key, user } = await steno.person({ plan: 'pro' });
    const bring = await importOf(key, 700, 700);
    amidImport = async () => {
      throw new Error('the disk is on fire');
    };
    expect((await bring()).status).toBe(500);
    expect(await usage(key)).toMatchObject({ storage_bytes_used: 0 });
    const { recordings } = steno.store;
    await recordings.reserveStorage(`left ${user.id}`, user.id, 1_400, limits);
    expect(await usage(key)).toMatchObject({ storage_bytes_used: 1_400 });
    await steno.recordings.tidy();
    expect(await usage(key)).toMatchObject({ storage_bytes_used: 0 });
    await recordings.reserveStorage(`killed ${user.id}`, user.id, 1_400, limits);
    await steno.database.db
      .updateTable('storage_reservations')
      .set({ holder: 'a server that was killed' })
      .where('user_id', '=', user.id)
      .execute();
    await steno.recordings.tidy();
    expect(await usage(key)).toMatchObject({ storage_bytes_used: 1_400 });
    await recordings.removeAbandoned();
    expect(await usage(key)).toMatchObject({ storage_bytes_used: 0 });
  });

  test('is not taken twice by uploads that begin at the same time', async () => {
    const { key } = await steno.person();
    const answers = await Promise.all([1, 2, 3].map(() => create(key, { 'upload-length': '700' })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 403]);
    expect(await usage(key)).toMatchObject({ storage_bytes_used: 1_400, open_uploads: 2 });
  });

  test('that is refused makes no other write run again', async () => {
    const { user } = await steno.person();
    let runs = 0;
    const refused = Array.from({ length: 20 }, (_, at) =>
      steno.store.recordings.reserveStorage(`${at} ${user.id}`, user.id, 1_501, limits),
    );
    const other = steno.database.write(async () => {
      runs += 1;
    });
    const outcomes = await Promise.allSettled(refused);
    await other;
    expect(outcomes.map(({ status }) => status)).toEqual(Array(20).fill('rejected'));
    expect(runs).toBe(1);
  });

  test('bounds uploads that grow, and those that tell their length later', async () => {
    const { key } = await steno.person({ plan: 'business' });
    const type = { 'content-type': 'application/offset+octet-stream' };
    const live = await create(key, { 'upload-defer-length': '1', ...type }, Buffer.alloc(1_000, '.'));
    expect(live.status).toBe(201);
    const url = String(live.headers.location);
    const append = (bytes: number, headers = {}) =>
      steno.call('PATCH', url, {
        key,
        body: Buffer.alloc(bytes, '.'),
        headers: { 'tus-resumable': '1.0.0', 'upload-offset': '1000', ...type, ...headers },
      });
    expect((await append(501)).body.error.code).toBe('plan_required');
    expect((await append(1, { 'upload-length': '1501' })).body.error.code).toBe('plan_required');
    expect(await usage(key)).toMatchObject({ storage_bytes_used: 1_000 });
    expect((await append(400)).status).toBe(204);
  });

  test('has room for a number of open uploads', async () => {
    const { key } = await steno.person();
    for (let i = 0; i < limits.openUploads; i++)
      expect((await create(key, { 'upload-length': '100' })).status).toBe(201);
    const { status, body } = await create(key, { 'upload-length': '100' });
    expect([status, body.error.code]).toEqual([403, 'plan_required']);
    expect(body.error.message).toContain('3 open uploads');
    const other = await steno.person();
    expect((await create(other.key, { 'upload-length': '100' })).status).toBe(201);
  });

  test('a length beyond every limit is refused before the bytes', async () => {
    const { key } = await steno.person();
    const { status } = await create(key, { 'upload-length': '99999999999999' });
    expect(status).toBe(413);
  });

  test('the browser asks again before it plays audio that it has', async () => {
    const { key } = await steno.person();
    const { id } = (await post(key)).body.data;
    const { headers } = await steno.call('GET', `/recordings/${id}/audio`, { key });
    expect(headers['cache-control']).toBe('private, no-cache');
    expect(headers.etag).toBe(`"${id}-600"`);
    const again = (etag: string) =>
      steno.call('GET', `/recordings/${id}/audio`, { key, headers: { 'if-none-match': etag } });
    const same = await again(String(headers.etag));
    expect([same.status, same.text, same.headers.etag]).toEqual([304, '', headers.etag]);
    expect((await again('"other"')).status).toBe(200);
    await steno.call('DELETE', `/recordings/${id}`, { key });
    expect((await again(String(headers.etag))).status).toBe(404);
  });
});
