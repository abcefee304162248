import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Received {
  headers: Record<string, string>;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape
  body: any;
}

/** An address that takes webhooks. `answer` says with which status, or answers itself. */
export async function startReceiver(
  answer: (received: Received, response: ServerResponse) => number | undefined = () => 204,
) {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    const one = await readRequest(request);
    received.push(one);
    const status = answer(one, response);
    if (status !== undefined) response.writeHead(status).end();
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/hook`,
    port,
    received,
    /** Closes connections that wait for another request. */
    dropIdle: () => server.closeIdleConnections(),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}

async function readRequest(request: IncomingMessage): Promise<Received> {
  let text = '';
  for await (const piece of request.setEncoding('utf8')) text += piece;
  return { headers: request.headers as Record<string, string>, text, body: JSON.parse(text) };
}
