import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** Hands bytes on to a server that may change its address, and cuts a connection after as many bytes as `cutAfter` says. */
export async function cuttingProxy(cutAfter: () => number) {
  let target = { port: 0 };
  const open = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(target.port, '127.0.0.1');
    let left = cutAfter();
    const cut = () => {
      client.destroy();
      upstream.destroy();
    };
    for (const socket of [client, upstream]) {
      open.add(socket);
      socket.on('error', cut);
      socket.on('close', () => {
        open.delete(socket);
        cut();
      });
    }
    client.on('data', (bytes) => {
      left -= bytes.length;
      if (left > 0) upstream.write(bytes);
      else upstream.write(bytes.subarray(0, Math.max(0, bytes.length + left)), cut);
    });
    upstream.pipe(client, { end: false });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    /** `http://127.0.0.1:<port>` of the server. */
    leadTo(address: string): void {
      target = { port: Number(new URL(address).port) };
    },
    async close(): Promise<void> {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
