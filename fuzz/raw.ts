import { once } from 'node:events';
import { connect } from 'node:net';
import { pick, type Random } from './values.ts';

const hangMs = 30_000;

const create = 'POST /api/v1/notes/create HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n';
const heads = [
  '',
  'GET ',
  'GET /api/v1/me HTTP/1.1\r\nHost: x\r\n',
  'GET /\0 HTTP/1.1\r\nHost: x\r\n',
  'GET /%ff%fe HTTP/1.1\r\nHost: x\r\n',
  `GET /${'a'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n`,
  'GET /healthz HTTP/1.1\r\n\r\nGET /healthz HTTP/1.1\r\nHost: x\r\n',
  'GET /healthz HTTP/1.0\r\n',
  'GET /healthz HTTP/9.9\r\nHost: x\r\n',
  'PRI * HTTP/2.0\r\n\r\nSM\r\n',
  'CONNECT x:1 HTTP/1.1\r\nHost: x\r\n',
  'OPTIONS * HTTP/1.1\r\nHost: x\r\n',
  'GET /healthz HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n',
  `GET /healthz HTTP/1.1\r\nHost: x\r\n${'X-A: b\r\n'.repeat(2_500)}`,
  'GET /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n',
  // More bytes are announced than come: a body that is cut off.
  `${create}Content-Length: 100000\r\n\r\n{"content":"`,
  `${create}Content-Length: 5\r\n\r\n`,
  `${create}Content-Length: -1\r\n\r\n`,
  `${create}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n`,
  `${create}Transfer-Encoding: chunked\r\n\r\n`,
  `${create}Transfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n`,
  `${create}Transfer-Encoding: chunked\r\n\r\n5\r\n{"a":\r\n`,
  `${create}Expect: 100-continue\r\nContent-Length: 10\r\n\r\n`,
  'POST /api/v1/transcribe HTTP/1.1\r\nHost: x\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: 9999\r\n\r\n--b\r\n',
] as const;

/** Bytes that are no request, or hardly one. */
export function nonsense(random: Random): Buffer {
  const bytes = Buffer.from(
    Array.from({ length: Math.floor(random() * 300) }, () => Math.floor(random() * 256)),
  );
  return Buffer.concat([Buffer.from(pick(random, heads), 'latin1'), bytes, Buffer.from('\r\n\r\n')]);
}

/** Any end of the connection is right, a 5xx and an open connection are not. */
export async function sendNonsense(origin: string, bytes: Buffer): Promise<string | undefined> {
  const { hostname, port } = new URL(origin);
  const socket = connect(Number(port), hostname);
  let text = '';
  socket.setEncoding('latin1').on('data', (chunk) => {
    text += chunk;
  });
  socket.on('error', () => {});
  socket.end(bytes);
  const shown = JSON.stringify(bytes.toString('latin1').slice(0, 300));
  try {
    await once(socket, 'close', { signal: AbortSignal.timeout(hangMs) });
  } catch {
    socket.destroy();
    return `a connection stayed open after ${shown}`;
  }
  // 505 is the right answer to a version of HTTP that does not exist.
  return /^HTTP\/1\.1 5(?!05)/m.test(text) ? `${text.slice(0, 100)} after ${shown}` : undefined;
}
