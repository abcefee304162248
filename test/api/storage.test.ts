import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { audioPath } from '../../src/domain/export.ts';
import { defaultPlans } from '../../src/domain/plans.ts';
import { jsonLines, noteRecord, ours, recordingRecord, zipped } from '../support/exports.ts';
import { createFakeSpeech, recording } from '../support/speech.ts';
import { databaseKinds, startSteno, type TestSteno } from '../support/steno.ts';

const limits = { storageBytes: 1_500, openUploads: 3 };
const plans = {
  ...defaultPlans,
  pro: { ...defaultPlans.pro, ...limits, recordingMaxBytes: 1_000, requestsPerMinute: 1_000 },
  business: { ...defaultPlans.business, ...limits },
};

// The sum is taken in the write that takes the room, which is the work of each database.
describe.each(databaseKinds)('storage of a person on %s', (databaseKind) => {
  let steno: TestSteno;
  beforeAll(async () => {
    steno = await startSteno({ databaseKind, speech: createFakeSpeech(), config: { plans } });
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

  test('ends an import before its first write; what is here already takes no room again', async () => {
    const { key } = await steno.person({ plan: 'pro' });
    const send = async (...sizes: number[]) => {
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
    };
    const { status, body } = await (await send(800, 800))();
    expect([status, body.error?.code]).toEqual([403, 'plan_required']);
    expect(body.error.message).toContain('at most 1 MB');
    for (const path of ['/notes/list', '/recordings'])
      expect((await steno.call('GET', path, { key })).body.data).toEqual([]);
    // The one beyond `recordingMaxBytes` comes without its audio.
    const fitting = await send(800, 700, 1_001);
    expect((await fitting()).body.data).toMatchObject({ recordings: 3, without_audio: 1 });
    expect(await usage(key)).toMatchObject({ storage_bytes_used: 1_500 });
    expect((await fitting()).body.data).toMatchObject({ recordings: 0, notes: 0, known: 4 });
  });

  test('is not taken twice by uploads that begin at the same time', async () => {
    const { key } = await steno.person();
    const answers = await Promise.all([1, 2, 3].map(() => create(key, { 'upload-length': '700' })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 403]);
    expect(await usage(key)).toMatchObject({ storage_bytes_used: 1_400, open_uploads: 2 });
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
