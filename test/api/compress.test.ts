import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startSteno, type TestSteno } from '../support/steno.ts';

describe('long answers', () => {
  let steno: TestSteno;
  let key: string;
  beforeAll(async () => {
    steno = await startSteno();
    ({ key } = await steno.person());
    await steno.call('POST', '/notes/create', { key, body: { content: 'word '.repeat(2_000) } });
  });
  afterAll(() => steno.close());

  const get = (path: string, encoding?: string) =>
    steno.app.inject({
      url: `/api/v1${path}`,
      headers: { authorization: `Bearer ${key}`, ...(encoding ? { 'accept-encoding': encoding } : {}) },
    });

  test.each(['gzip', 'gzip, deflate, br', 'br;q=1.0, gzip;q=0.8'])(
    'are compressed for a client that accepts %s',
    async (encoding) => {
      const [plain, compressed] = [await get('/notes/list'), await get('/notes/list', encoding)];
      expect(compressed.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'Accept-Encoding' });
      expect(compressed.rawPayload.length).toBeLessThan(plain.rawPayload.length / 5);
      expect(JSON.parse(gunzipSync(compressed.rawPayload).toString())).toEqual(plain.json());
      expect(Number(compressed.headers['content-length'])).toBe(compressed.rawPayload.length);
    },
  );

  test.each([undefined, 'br', 'gzip;q=0', 'identity'])('are plain for %s', async (encoding) => {
    const answer = await get('/notes/list', encoding);
    expect(answer.headers['content-encoding']).toBeUndefined();
    expect(answer.headers.vary).toBe('Accept-Encoding');
    expect(answer.json().data).toHaveLength(1);
  });

  test('short ones are always plain', async () => {
    const { headers } = await get('/folders/list', 'gzip');
    expect(headers['content-encoding']).toBeUndefined();
  });
});
