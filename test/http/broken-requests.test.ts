import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import { answerBrokenRequest } from '../../src/platform/http/broken-requests.ts';

/** A connection, with the answer that is being sent on it. */
function connection({ writable = true, underWay }: { writable?: boolean; underWay?: object } = {}) {
  const done: string[] = [];
  const answer = underWay && Object.assign(new EventEmitter(), underWay);
  const socket = Object.assign(new EventEmitter(), {
    writable,
    _httpMessage: answer,
    destroy: () => done.push('destroyed'),
    end: (text: string) => done.push(text.split('\r\n')[0] ?? ''),
  });
  const broken = (code: string) =>
    answerBrokenRequest(Object.assign(new Error('broken'), { code }), socket as never);
  return { broken, done, answer, socket };
}
const refused = 'HTTP/1.1 400 Bad Request';

test('what is no HTTP is answered', () => {
  const { broken, done, socket } = connection();
  broken('HPE_INVALID_METHOD');
  expect(done).toEqual([refused]);
  // A client that closes its side is not cut off.
  expect(socket.listenerCount('close')).toBe(1);
  socket.emit('close');
});

test.each([
  ['was reset', {}, 'ECONNRESET'],
  ['cannot be written to', { writable: false }, 'HPE_INVALID_METHOD'],
  [
    'has half of an answer',
    { underWay: { req: { complete: false }, headersSent: true } },
    'HPE_INVALID_METHOD',
  ],
])('a connection that %s is cut off', (_, state, code) => {
  const { broken, done } = connection(state);
  broken(code);
  expect(done).toEqual(['destroyed']);
});

test('a good request before the broken one is answered first', () => {
  const { broken, done, answer, socket } = connection({
    underWay: { req: { complete: true }, headersSent: true },
  });
  broken('HPE_INVALID_METHOD');
  expect(done).toEqual([]);
  answer?.emit('close');
  expect(done).toEqual([refused]);
  socket.emit('close');
});

test('a request that never ended is answered while nothing was sent', () => {
  const { broken, done, socket } = connection({
    underWay: { req: { complete: false }, headersSent: false },
  });
  broken('ERR_HTTP_REQUEST_TIMEOUT');
  expect(done).toEqual([refused]);
  socket.emit('close');
});
