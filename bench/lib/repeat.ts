import { connect, type Socket } from 'node:net';

export interface Call {
  method?: 'GET' | 'POST' | 'PATCH';
  url: string;
  headers?: Readonly<Record<string, string>>;
  body?: string;
}

/** What became of the calls of all connections. */
export interface Tally {
  /** Milliseconds of each call that was answered with a 2xx. */
  readonly times: number[];
  /** How often each other status came, or a connection broke or answered too late. */
  readonly failures: Map<string, number>;
}

export const newTally = (): Tally => ({ times: [], failures: new Map() });

const headEnd = Buffer.from('\r\n\r\n');

/**
 * Sends the calls over one connection, one after the other, again and again. Requests are bytes that are made before, and
 * of an answer only its status and its length are looked at, because whoever makes the load takes time from the server on
 * a machine with two cores (README.md). Nothing is sent before `begin`, but for one call that shows that the server has taken
 * the connection: it takes few in each turn of its event loop, and under load turns are long.
 */
export function repeat(calls: readonly Call[], tally: Tally, timeoutMs: number) {
  const requests = calls.map(toBytes);
  const { hostname, port, origin } = new URL(calls[0]?.url ?? '');
  const taken = Promise.withResolvers<void>();
  const buffer = Buffer.allocUnsafe(65_536);
  let socket: Socket;
  let at = 0;
  let sentAt = 0;
  /** Of the answer that is being read: its head, until that is whole, and then the bytes that are still to come. */
  let head = '';
  let missing = -1;
  let succeeds = false;
  let hasBegun = false;
  let isOver = false;

  function open(): void {
    socket = connect({
      host: hostname,
      port: Number(port),
      noDelay: true,
      onread: {
        buffer,
        callback(length) {
          read(buffer.subarray(0, length));
          return true;
        },
      },
    });
    socket.once('connect', () => {
      if (hasBegun) send();
      else socket.write(toBytes({ url: `${origin}/healthz` }));
    });
    socket.once('error', () => {});
    socket.once('close', () => {
      if (!isOver) reopen('broken connections');
    });
  }

  function send(): void {
    sentAt = performance.now();
    head = '';
    missing = -1;
    socket.write(requests[at] ?? '');
    at = (at + 1) % requests.length;
  }

  function read(bytes: Buffer): void {
    if (missing >= 0) missing -= bytes.length;
    else {
      const end = head === '' ? bytes.indexOf(headEnd) : -1;
      if (end < 0) {
        // Rare: the head came in pieces.
        head += bytes.toString('latin1');
        const whole = head.indexOf('\r\n\r\n');
        if (whole < 0) return;
        missing = lengthIn(head) - (head.length - whole - 4);
      } else {
        head = bytes.toString('latin1', 0, end + 4);
        missing = lengthIn(head) - (bytes.length - end - 4);
      }
      // 304: a client that has the answer.
      succeeds = head.startsWith('2', 9) || head.startsWith('304', 9);
    }
    if (missing > 0) return;
    if (!hasBegun) {
      taken.resolve();
      return;
    }
    if (succeeds) tally.times.push(performance.now() - sentAt);
    else count(head.slice(9, 12));
    send();
  }

  function count(failure: string): void {
    tally.failures.set(failure, (tally.failures.get(failure) ?? 0) + 1);
  }

  function reopen(failure: string): void {
    count(failure);
    socket.removeAllListeners('close').destroy();
    sentAt = performance.now();
    setTimeout(() => {
      if (!isOver) open();
    }, 100);
  }

  open();
  return {
    /** When the server has taken the connection. */
    taken: taken.promise,
    begin(): void {
      hasBegun = true;
      send();
    },
    check(now: number): void {
      if (sentAt > 0 && now - sentAt > timeoutMs) reopen('time-outs');
    },
    stop(): void {
      isOver = true;
      socket.destroy();
    },
  };
}

function toBytes({ method = 'GET', url, headers = {}, body = '' }: Call): Buffer {
  const { host, pathname, search } = new URL(url);
  const all: Record<string, string | number> = {
    host,
    ...headers,
    ...(body && { 'content-length': Buffer.byteLength(body) }),
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`${method} ${pathname}${search} HTTP/1.1\r\n${lines.join('')}\r\n${body}`);
}

/** Every answer that we measure says how long it is. */
function lengthIn(head: string): number {
  const length = /^content-length: (\d+)/im.exec(head)?.[1];
  if (length !== undefined) return Number(length);
  if (head.startsWith('204', 9) || head.startsWith('304', 9)) return 0;
  throw new Error('an answer did not say how long it is');
}
