import { connect, type Socket } from 'node:net';
import type { TestSteno } from './steno.ts';

/** A real server on a free port of this machine. */
export async function listen(steno: TestSteno): Promise<number> {
  await steno.app.listen({ host: '127.0.0.1', port: 0 });
  const address = steno.app.server.address();
  if (typeof address !== 'object' || address === null) throw new Error('no port');
  return address.port;
}

export interface Wire {
  socket: Socket;
  /** What has arrived so far. */
  text(): string;
  /** All that arrived, once the server has closed its side or cut the connection. */
  closed: Promise<string>;
  /** Resolves when `count` answers have begun to arrive. */
  answers(count: number): Promise<string>;
}

/** A bare connection on which a test writes whatever bytes it likes. */
export function wire(port: number, ...chunks: string[]): Wire {
  // Half open: the client's side stays until the test ends it.
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  let text = '';
  const closed = new Promise<string>((resolve) => {
    socket.once('end', () => resolve(text));
    socket.once('close', () => resolve(text));
  });
  // A connection that the server cuts shows as an error here; `closed` tells.
  socket.on('error', () => {});
  socket.setEncoding('utf8').on('data', (chunk) => {
    text += chunk;
  });
  for (const chunk of chunks) socket.write(chunk);
  return {
    socket,
    text: () => text,
    closed,
    answers: (count) =>
      new Promise((resolve, reject) => {
        const look = () => text.split('HTTP/1.1 ').length > count && resolve(text);
        socket.on('data', look);
        closed.then(() => (look() ? undefined : reject(new Error(`closed after: ${text}`))));
        look();
      }),
  };
}

/** Statuses of the answers in what arrived, in order. */
export const statuses = (text: string) =>
  [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status));

export const head = (method: string, path: string, headers: Record<string, string | number> = {}) =>
  [
    `${method} /api/v1${path} HTTP/1.1`,
    'Host: steno',
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ]
    .join('\r\n')
    .concat('\r\n\r\n');
