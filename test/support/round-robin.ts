import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** The plainest load balancer: each request goes to the next server. What a server does not answer is a 502. */
export async function startRoundRobin(addresses: string[]) {
  let servers = addresses;
  let turn = 0;
  const running = new Map<string, number>();
  const count = (address: string, by: number) => running.set(address, (running.get(address) ?? 0) + by);

  const proxy = createServer((incoming, answer) => {
    turn += 1;
    const address = servers[turn % servers.length] ?? '';
    count(address, 1);
    answer.once('close', () => count(address, -1));
    const { method, headers, url } = incoming;
    const outgoing = request(`${address}${url}`, { method, headers, agent: false }, (received) => {
      // How the server's connection ends says nothing about the client's.
      const { connection, 'keep-alive': keepAlive, ...passed } = received.headers;
      answer.writeHead(received.statusCode ?? 502, passed);
      received.once('error', () => answer.destroy());
      received.pipe(answer);
    });
    outgoing.once('error', () => (answer.headersSent ? answer.destroy() : answer.writeHead(502).end()));
    incoming.pipe(outgoing);
  });
  // It never closes a connection that a client is about to use.
  proxy.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  // A server that listens on a port has such an address.
  const { port } = proxy.address() as AddressInfo;

  return {
    address: `http://127.0.0.1:${port}`,
    /** No new request goes there; resolves when those that run have their answers. */
    async takeOut(address: string): Promise<void> {
      servers = servers.filter((server) => server !== address);
      while ((running.get(address) ?? 0) > 0) await sleep(5);
    },
    putIn(address: string): void {
      servers = [...servers, address];
    },
    close(): void {
      proxy.closeAllConnections();
      proxy.close();
    },
  };
}
