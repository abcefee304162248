import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished } from 'vitest';

export interface Hub {
  url: string;
  /** Every request for the bytes, with the start that it asked for. */
  starts: number[];
  /** What the next requests get; afterwards all is well. */
  faults: Fault[];
  /** The bytes that it has. May be changed. */
  file: Buffer;
  /** How many bytes the client has stored. */
  stored(): number;
  /** What the redirect says of them. */
  published: { sha256: string | null };
}

/** `after` bytes of what was asked for, then the connection breaks or falls silent; or a status instead. */
export type Fault = { after: number; end: 'break' | 'silence' } | { status: number } | 'ignore range';

/** A server that behaves like the public hub: it sends on to another path, and tells size and checksum while doing so. */
export async function startHub(file: Buffer, { knowsRanges = true } = {}): Promise<Hub> {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const hub: Hub = {
    url: `http://127.0.0.1:${port}`,
    starts: [],
    faults: [],
    file,
    stored: () => 0,
    published: { sha256: sha256(file) },
  };

  function answer(request: IncomingMessage, response: ServerResponse): void {
    if (!request.url?.startsWith('/store/')) {
      const { sha256: sum } = hub.published;
      response.writeHead(302, {
        location: `/store${request.url}`,
        ...(sum && { 'x-linked-etag': `"${sum}"`, 'x-linked-size': String(hub.file.length) }),
      });
      response.end();
      return;
    }
    const fault = hub.faults.shift();
    if (typeof fault === 'object' && 'status' in fault) {
      response.writeHead(fault.status).end();
      return;
    }
    const asked = /^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1];
    const isRange = asked !== undefined && knowsRanges && fault !== 'ignore range';
    const start = isRange ? Number(asked) : 0;
    hub.starts.push(Number(asked ?? 0));
    if (start >= hub.file.length) {
      response.writeHead(416).end();
      return;
    }
    response.writeHead(isRange ? 206 : 200, {
      etag: `"${sha256(hub.file).slice(0, 16)}"`,
      'content-length': hub.file.length - start,
      ...(isRange && { 'content-range': `bytes ${start}-${hub.file.length - 1}/${hub.file.length}` }),
    });
    if (typeof fault !== 'object') {
      response.end(hub.file.subarray(start));
      return;
    }
    response.write(hub.file.subarray(start, start + fault.after), async () => {
      if (fault.end === 'silence') return;
      // What came and is not stored yet is lost when the connection breaks: on a busy machine that was all of it.
      while (hub.stored() < start + fault.after && !response.destroyed) await sleep(5);
      response.destroy();
    });
  }

  return hub;
}

/** The first request was for all of it, and so many further ones each for the rest of what had come by then. */
export function expectResumed(hub: Hub, times: number): void {
  expect(hub.starts).toHaveLength(times + 1);
  expect(hub.starts[0]).toBe(0);
  for (let i = 1; i <= times; i++) expect(hub.starts[i]).toBeGreaterThan(hub.starts[i - 1] ?? 0);
}

export const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
