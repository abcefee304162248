import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { freePort } from './free-port.ts';

/** An address in front of a server that can go away and come back, and show what the server sends a little changed. */
export async function frontDoor(port: number) {
  let change: ((body: string, path: string) => string) | undefined;
  const own = await freePort();
  let server: Server | undefined;

  function handOn(asked: IncomingMessage, answer: ServerResponse): void {
    const { method, url: path = '/' } = asked;
    // What is shown changed is not what the browser has, whatever the server thinks.
    const { 'if-none-match': _tag, 'if-modified-since': _since, ...others } = asked.headers;
    const headers = { ...others, 'accept-encoding': 'identity' };
    const upstream = request({ host: '127.0.0.1', port, method, path, headers }, async (given) => {
      const { statusCode = 500, headers } = given;
      if (!change || !/html|javascript/.test(headers['content-type'] ?? '')) {
        answer.writeHead(statusCode, headers);
        given.pipe(answer);
        return;
      }
      const { 'content-length': _length, ...rest } = headers;
      answer.writeHead(statusCode, rest).end(change(await text(given), path));
    });
    upstream.on('error', () => answer.destroy());
    asked.pipe(upstream);
  }
  async function open(): Promise<void> {
    const opened = createServer(handOn);
    server = opened;
    await new Promise<void>((resolve, reject) => {
      opened.once('error', reject).listen(own, '127.0.0.1', resolve);
    });
  }
  await open();
  return {
    origin: `http://127.0.0.1:${own}`,
    open,
    async close(): Promise<void> {
      server?.closeAllConnections();
      await new Promise((resolve) => server?.close(resolve) ?? resolve(undefined));
      server = undefined;
    },
    change(how: (body: string, path: string) => string): void {
      change = how;
    },
  };
}
