import { createHash } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fstatSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  readSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { spoolBody } from '../../src/platform/http/spool.ts';

const home = mkdtempSync(join(tmpdir(), 'steno-spool-'));
const folder = join(home, 'data', 'incoming');
const maxBytes = 10;
beforeEach(() => rmSync(join(home, 'data'), { recursive: true, force: true }));
afterAll(() => rmSync(home, { recursive: true }));

/** Each chunk is made when it is read. */
function* bytesOf(chunks: Iterable<string>) {
  for (const chunk of chunks) yield Buffer.from(chunk);
}
const sending = (chunks: Iterable<string>, headers: Record<string, string> = {}) =>
  ({
    raw: Readable.from(bytesOf(chunks)),
    headers,
    uploadDigest: '',
  }) as unknown as FastifyRequest;
const spool = (request: FastifyRequest, signal = new AbortController().signal) =>
  spoolBody(request, { folder, maxBytes, signal });

/** Files of the folder that this process still has open, though they have no name. */
const open = () =>
  existsSync('/proc/self/fd')
    ? readdirSync('/proc/self/fd').filter((fd) => {
        try {
          return readlinkSync(`/proc/self/fd/${fd}`).startsWith(folder);
        } catch {
          return false;
        }
      })
    : [];

test('a body of the largest size is in a file that has no name, with its digest', async () => {
  const request = sending(['01234', '56789'], { 'content-length': '10' });
  const fd = await spool(request);
  try {
    expect(readdirSync(folder)).toEqual([]);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(fstatSync(fd)).toMatchObject({ size: 10, nlink: 0 });
    const written = Buffer.alloc(10);
    readSync(fd, written, 0, 10, 0);
    expect(String(written)).toBe('0123456789');
    expect(request.uploadDigest).toBe(createHash('sha256').update('0123456789').digest('base64url'));
    // A second one finds the folder.
    closeSync(await spool(sending(['x'])));
  } finally {
    closeSync(fd);
  }
});

test('a body that says it is too large is refused before anything is read or made', async () => {
  const request = sending(['x'], { 'content-length': '11' });
  await expect(spool(request)).rejects.toMatchObject({ code: 'payload_too_large' });
  expect(existsSync(folder)).toBe(false);
});

test('a form is refused', async () => {
  const headers = { 'content-type': 'multipart/form-data; boundary=x' };
  await expect(spool(sending(['x'], headers))).rejects.toMatchObject({ code: 'validation_error' });
  expect(existsSync(folder)).toBe(false);
});

test('a body that proves too large leaves no file, and its rest is read, so that an answer can follow', async () => {
  const request = sending(['01234567', '89x', 'the', 'rest']);
  const ended = new Promise((resolve) => request.raw.once('end', resolve));
  await expect(spool(request)).rejects.toMatchObject({ code: 'payload_too_large' });
  await ended;
  expect([readdirSync(folder), open()]).toEqual([[], []]);
});

test('whoever left gets their reason, during the body and after its end', async () => {
  const [early, late] = [new AbortController(), new AbortController()];
  function* leaving() {
    yield '0';
    early.abort(new Error('left'));
    yield 'more than it may have';
  }
  await expect(spool(sending(leaving()), early.signal)).rejects.toThrow('left');
  const last = sending(['0']);
  last.raw.once('end', () => late.abort(new Error('left')));
  await expect(spool(last, late.signal)).rejects.toThrow('left');
  expect([readdirSync(folder), open()]).toEqual([[], []]);
});

test('a full disk is said with a time to come again; any other fault stays what it is', async () => {
  for (const [code, expected] of [
    ['ENOSPC', { code: 'service_unavailable', retryAfterSeconds: 60 }],
    ['EIO', { code: 'EIO' }],
  ] as const) {
    const request = sending([]);
    request.raw = new Readable({
      read() {
        this.destroy(Object.assign(new Error('broken'), { code }));
      },
    }) as never;
    await expect(spool(request)).rejects.toMatchObject(expected);
  }
  expect(open()).toEqual([]);
});
