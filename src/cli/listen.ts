import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { codeOf, type Log } from '../lib/log.ts';
import { createMetricsServer } from '../platform/http/metrics-server.ts';

// Connections that the system queues until the server accepts them. With Node's 511 it drops some of 1,000 that come at
// once, and they try again a second or more later.
const backlog = 4_096;
/** Sockets on one port. Node accepts one connection per socket and turn of the event loop, and under load a turn is long. */
const sockets = 16;

interface Place {
  host: string;
  port: number;
}

/** Rejects if the port is taken. */
export async function listen(app: FastifyInstance, { host, port }: Place): Promise<void> {
  // Other systems cannot share a port like this.
  if (process.platform !== 'linux') {
    await app.listen({ host, port, backlog });
    return;
  }
  const found = await findFree({ host, port });
  const more = Array.from({ length: sockets - 1 }, () =>
    // The default of Node's HTTP server.
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

/** Sockets that share a port do not notice another listener, so a socket that does not share checks first. */
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

/** On an address of their own, since they can be read without signing in. Without them the server starts all the same. */
export async function listenForMetrics(
  read: () => Promise<string>,
  place: Place | null,
  log: Log,
): Promise<{ close(): void } | undefined> {
  if (place === null) return undefined;
  const server = createMetricsServer(read);
  try {
    server.listen(place);
    await once(server, 'listening');
    const bound = server.address();
    const port = bound !== null && typeof bound === 'object' ? bound.port : place.port;
    log.info({ host: place.host, port }, 'Metrics can be read here, at /metrics');
    return {
      close() {
        server.close();
        // Prometheus keeps its connection open.
        server.closeAllConnections();
      },
    };
  } catch (cause) {
    log.warn(
      { ...place, code: codeOf(cause) },
      'Metrics cannot be read: this address cannot be used; set STENO_METRICS_LISTEN to another',
    );
    return undefined;
  }
}
