import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import type { FastifyInstance } from 'fastify';

// Connections that the system keeps until the server takes them. Of 1,000 that come at once it drops some with Node's 511,
// and they try again a second or more later.
const backlog = 4_096;
/** On one port. Node takes one connection from each of them in a turn of its event loop, and with many busy connections a turn is long. */
const sockets = 16;

interface Place {
  host: string;
  port: number;
}

/** Rejects if the port is taken. */
export async function listen(app: FastifyInstance, { host, port }: Place): Promise<void> {
  // Other systems do not share a port in this way.
  if (process.platform !== 'linux') {
    await app.listen({ host, port, backlog });
    return;
  }
  const found = await findFree({ host, port });
  const more = Array.from({ length: sockets - 1 }, () =>
    // As Node's HTTP server has it.
    createServer({ allowHalfOpen: true, noDelay: true }, (socket) => app.server.emit('connection', socket)),
  );
  let closed: Promise<void>[] = [];
  app.addHook('preClose', async () => {
    closed = more.map(close);
  });
  // Each is closed when its last connection is.
  app.addHook('onClose', async () => {
    await Promise.all(closed);
  });
  // Fastify passes every option on; its types do not know this one.
  const shared = { ...found, backlog, reusePort: true };
  await app.listen(shared);
  for (const server of more) await open(server, found);
}

/** Sockets that share a port do not notice that somebody else listens there, so one that does not share looks first. */
async function findFree(place: Place): Promise<Place> {
  const server = createServer();
  await open(server, place, false);
  const address = server.address();
  await close(server);
  return {
    host: place.host,
    port: address !== null && typeof address === 'object' ? address.port : place.port,
  };
}

async function open(server: Server, place: Place, reusePort = true): Promise<void> {
  server.listen({ ...place, backlog, reusePort });
  await once(server, 'listening');
}

const close = (server: Server) => new Promise<void>((resolve) => server.close(() => resolve()));
