import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { mortalConnections } from './postgres-connection.ts';

const channel = 'steno_principals';
export const notifyPrincipals = `notify ${channel}`;
/** Every server keeps one connection with such a name open, so PostgreSQL knows at once when the server is gone. */
export const listenerPrefix = 'steno-listen ';
export const listenerName = (processId: string) => listenerPrefix + processId;

const connectTimeoutMs = 10_000;
const reconnectMs = 1_000;
// A network that drops packets does not close connections. With these, a revocation goes unnoticed for at most 5 s.
const heartbeatMs = 2_000;
const answerTimeoutMs = 3_000;

interface Listener {
  end(): Promise<void>;
  /** Resolves when the connection is gone, for any reason. */
  lost: Promise<void>;
}

/**
 * Listens for changes of keys, plans and accounts. While the connection is down, every call sees a new epoch, because the
 * cache might have missed a revocation. Rejects if the first connection fails.
 */
export async function watchPrincipals(url: string, name: string) {
  let epoch = 0;
  let listening = false;
  let closed = false;
  const bump = () => {
    epoch += 1;
  };
  let listener: Listener | undefined = await listen(url, name, bump);

  async function keepListening(): Promise<void> {
    while (listener) {
      bump();
      listening = true;
      await listener.lost;
      listening = false;
      listener = await listenAgain();
    }
  }

  async function listenAgain(): Promise<Listener | undefined> {
    while (!closed) {
      await sleep(reconnectMs, undefined, { ref: false });
      if (closed) break;
      const next = await listen(url, name, bump).catch(() => undefined);
      if (closed) await next?.end();
      else if (next) return next;
    }
    return undefined;
  }

  keepListening();
  return {
    epoch() {
      if (!listening) bump();
      return epoch;
    },
    bump,
    async close() {
      closed = true;
      await listener?.end();
    },
  };
}

async function listen(url: string, name: string, heard: () => void): Promise<Listener> {
  const connections = mortalConnections();
  const client = new pg.Client({
    connectionString: url,
    stream: connections.stream,
    application_name: name,
    connectionTimeoutMillis: connectTimeoutMs,
    query_timeout: answerTimeoutMs,
  });
  const end = () => connections.end(() => client.end()).catch(() => {});
  client.on('notification', heard);
  client.on('error', end);
  const lost = new Promise<void>((resolve) => client.once('end', resolve));
  try {
    await client.connect();
    await client.query(`listen ${channel}`);
  } catch (cause) {
    await end();
    throw cause;
  }
  const heartbeat = setInterval(() => client.query('select 1').catch(end), heartbeatMs).unref();
  lost.then(() => clearInterval(heartbeat));
  return { end, lost };
}
