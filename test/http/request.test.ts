import { EventEmitter } from 'node:events';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { expect, test } from 'vitest';
import { clientSignal, principalOf } from '../../src/platform/http/request.ts';

function exchange() {
  const socket = new EventEmitter();
  const raw = Object.assign(new EventEmitter(), { writableFinished: false });
  const reply = { raw, request: { raw: { socket }, headers: {} } } as unknown as FastifyReply;
  return { socket, raw, signal: clientSignal(reply) };
}

test.each([
  ['closes its side', ({ socket }: ReturnType<typeof exchange>) => socket.emit('end')],
  ['breaks the connection', ({ raw }: ReturnType<typeof exchange>) => raw.emit('close')],
])('a client that %s before its answer is gone', (_, leave) => {
  const one = exchange();
  expect(one.signal.aborted).toBe(false);
  leave(one);
  expect(one.signal.reason).toMatchObject({ code: 'validation_error' });
});

test('after its answer nobody is gone, and the connection is not listened to any more', () => {
  const { socket, raw, signal } = exchange();
  raw.writableFinished = true;
  raw.emit('close');
  expect(signal.aborted).toBe(false);
  expect(socket.listenerCount('end')).toBe(0);
});

test('a route without a credential has no principal, which is our fault', () => {
  expect(() => principalOf({ principal: null } as FastifyRequest)).toThrow('needs no credential');
});
