import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';

/** What happens to a call: nothing, it is slow, it never arrives, or its answer never does. */
export type Luck = 'good' | 'slow' | 'cut' | 'unanswered';

/** An address in front of a server that is killed and started again, over a network that loses calls and answers. */
export async function roughDoor(onStored: (content: string) => void) {
  let target: string | undefined;
  let luck: () => Luck = () => 'good';

  async function handOn(asked: IncomingMessage, answer: ServerResponse): Promise<void> {
    const { method = 'GET', url = '/' } = asked;
    const isWrite = /^\/api\/v1\/notes\//.test(url) && method !== 'GET';
    const how = isWrite ? luck() : 'good';
    if (how === 'slow') await sleep(1_500);
    if (how === 'cut' || target === undefined) return void asked.destroy();
    const headers = { ...asked.headers, 'accept-encoding': 'identity' };
    const upstream = request(`${target}${url}`, { method, headers }, async (given) => {
      const { statusCode = 500, headers } = given;
      // The server died in the middle of its answer.
      given.on('error', () => answer.destroy());
      if (!isWrite) {
        answer.writeHead(statusCode, headers);
        answer.flushHeaders();
        given.pipe(answer);
        return;
      }
      const body = await text(given).catch(() => undefined);
      if (body === undefined) return;
      if (statusCode < 300) onStored(JSON.parse(body).data.content);
      if (how === 'unanswered') answer.destroy();
      else answer.writeHead(statusCode, headers).end(body);
    });
    upstream.on('error', () => answer.destroy());
    answer.on('close', () => upstream.destroy());
    asked.pipe(upstream);
  }
  const server = createServer((asked, answer) => void handOn(asked, answer));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** Undefined: nobody is there. */
    leadTo(address: string | undefined): void {
      target = address;
    },
    withLuck(next: () => Luck): void {
      luck = next;
    },
    async close(): Promise<void> {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
