import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { errorStatus } from '../../domain/errors.ts';
import { envelope } from './errors.ts';

const lingerMs = 1_000;

interface HttpSocket extends Duplex {
  /** Node's internal field for the answer that is being sent on this connection. */
  _httpMessage?: ServerResponse | null;
}

/** For invalid HTTP, CONNECT, and requests that never end. There is no request object, so the envelope is written by hand. */
export function answerBrokenRequest(fault: NodeJS.ErrnoException, socket: HttpSocket): void {
  const underWay = socket._httpMessage;
  if (fault.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
  } else if (underWay?.req.complete) {
    // The invalid bytes came after a good request, which is answered first.
    underWay.once('close', () => part(socket, fault));
  } else if (underWay?.headersSent) {
    socket.destroy();
  } else {
    part(socket, fault);
  }
}

/** Says why and closes. A client that does not close its side is cut off. */
function part(socket: Duplex, fault: NodeJS.ErrnoException): void {
  socket.end(brokenAnswer(fault));
  const cut = setTimeout(() => socket.destroy(), lingerMs).unref();
  socket.once('close', () => clearTimeout(cut));
}

function brokenAnswer(fault: NodeJS.ErrnoException): string {
  const late = fault.code === 'ERR_HTTP_REQUEST_TIMEOUT';
  const message = late
    ? 'The request did not arrive in time. Send it again.'
    : 'This is not a valid HTTP request.';
  const body = JSON.stringify(envelope('validation_error', message));
  return (
    `HTTP/1.1 ${errorStatus.validation_error} Bad Request\r\nContent-Type: application/json; charset=utf-8\r\n` +
    `Content-Length: ${Buffer.byteLength(body)}\r\nX-Request-Id: ${randomUUID()}\r\nConnection: close\r\n\r\n${body}`
  );
}
