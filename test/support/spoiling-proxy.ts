import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

export interface Spoiled {
  status: number;
  headers: Headers;
  // Any answer of the server may be spoiled, whatever its shape.
  // biome-ignore lint/suspicious/noExplicitAny: see above
  body: any;
}

/** Hands requests on to the server, and its JSON answers back as `spoil` leaves them. */
export async function spoilingProxy(origin: string, spoil: (answer: Spoiled, path: string) => void) {
  const own = new Set(['host', 'connection', 'content-length', 'transfer-encoding', 'keep-alive']);
  async function handOn(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET', url = '/' } = request;
    const headers = Object.entries(request.headers).flatMap(([name, value]) =>
      own.has(name) || value === undefined ? [] : [[name, String(value)] as [string, string]],
    );
    const body = await buffer(request);
    const answer = await fetch(origin + url, {
      method,
      headers,
      ...(body.length > 0 && { body: new Uint8Array(body) }),
    });
    const text = await answer.text();
    const isJson = text !== '' && answer.headers.get('content-type')?.startsWith('application/json') === true;
    const spoiled = {
      status: answer.status,
      headers: new Headers(answer.headers),
      body: isJson ? JSON.parse(text) : text,
    };
    spoil(spoiled, url);
    for (const name of own) spoiled.headers.delete(name);
    response.writeHead(spoiled.status, Object.fromEntries(spoiled.headers));
    response.end(isJson ? JSON.stringify(spoiled.body) : spoiled.body);
  }
  const server = createServer((request, response) => {
    // A client that hung up in the middle of its request.
    handOn(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
