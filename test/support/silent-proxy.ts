import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/**
 * Stands between a server and PostgreSQL. `swallow` makes the network go dead for every connection whose first
 * message holds the text: nothing arrives any more and nothing is closed, as when a firewall forgets a connection.
 */
export async function startProxy(databaseUrl: string) {
  const target = new URL(databaseUrl);
  const pairs: { hello: string; near: Socket; far: Socket }[] = [];
  const server = createServer((near) => {
    const far = connect(Number(target.port || 5432), target.hostname);
    const pair = { hello: '', near, far };
    pairs.push(pair);
    near.once('data', (data) => {
      pair.hello = data.toString('latin1');
    });
    near.pipe(far).pipe(near);
    for (const socket of [near, far])
      socket.on('error', () => {
        near.destroy();
        far.destroy();
      });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const url = new URL(databaseUrl);
  url.host = `127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  return {
    url: url.href,
    swallow(text: string): number {
      const chosen = pairs.filter(({ hello, near }) => hello.includes(text) && !near.destroyed);
      for (const { near, far } of chosen) {
        near.unpipe(far);
        far.unpipe(near);
      }
      return chosen.length;
    },
    /** Closes them, as a network does that comes back to life. */
    cut(text: string): void {
      for (const { hello, near } of pairs) if (hello.includes(text)) near.destroy();
    },
    async close() {
      for (const { near, far } of pairs) {
        near.destroy();
        far.destroy();
      }
      server.close();
      await once(server, 'close');
    },
  };
}
