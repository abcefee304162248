import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import pg from 'pg';
import type { Db } from './database.ts';
import { mortalConnections } from './postgres-connection.ts';

const channel = 'steno_principals';
/** The channel on which servers confirm a change. */
const heardChannel = 'steno_principals_heard';
/** Every server keeps one connection with such a name open, so PostgreSQL knows at once when the server is gone. */
export const listenerPrefix = 'steno-listen ';
export const listenerName = (processId: string) => listenerPrefix + processId;

const connectTimeoutMs = 10_000;
const reconnectMs = 1_000;
// A network that drops packets does not close connections. With these, a revocation goes unnoticed for at most 5 s.
const heartbeatMs = 2_000;
const answerTimeoutMs = 3_000;
// Others wait no longer than this for a server that hangs.
const heardWithinMs = 1_000;
const askAgainMs = 10;

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
  /** For each change of this server: the servers that have confirmed it. */
  const heardBy = new Map<string, Set<string>>();
  function hear(client: pg.Client, notification: pg.Notification): void {
    const [change = '', ...listenerOf] = (notification.payload ?? '').split(' ');
    if (notification.channel === heardChannel) {
      heardBy.get(change)?.add(listenerOf.join(' '));
      return;
    }
    bump();
    // If it fails, the connection is lost, and no server waits for this one.
    client.query('select pg_notify($1, $2)', [heardChannel, `${change} ${name}`]).catch(() => {});
  }
  let listener: Listener | undefined = await listen(url, name, hear);

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
      // Until it succeeds nothing is cached, and reads tell what is wrong with the database.
      const next = await listen(url, name, hear).catch(() => undefined);
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
    /** Whether what is sent by another connection arrives here. Through PgBouncer in transaction mode it does not. */
    async isHearing(db: Db): Promise<boolean> {
      const probe = randomUUID();
      const heard = new Set<string>();
      let asked: Listener | undefined;
      heardBy.set(probe, heard);
      try {
        for (
          const end = performance.now() + connectTimeoutMs;
          performance.now() < end;
          await sleep(askAgainMs)
        ) {
          if (heard.has(name)) return true;
          if (asked === listener) continue;
          // Again when the connection was lost and another one listens.
          asked = listener;
          await sql`select pg_notify(${heardChannel}, ${`${probe} ${name}`})`.execute(db);
        }
        return heard.has(name);
      } finally {
        heardBy.delete(probe);
      }
    },
    /** A change that this server makes. */
    announcement() {
      const change = randomUUID();
      const heard = new Set<string>();
      return {
        /** Notifies every server when this transaction commits. */
        async make(trx: Db): Promise<void> {
          heardBy.set(change, heard);
          await sql`select pg_notify(${channel}, ${change})`.execute(trx);
        },
        /** Resolves when every server has confirmed, so that a key works nowhere once its revocation is answered. */
        async heardByAll(db: Db): Promise<void> {
          bump();
          for (
            const end = performance.now() + heardWithinMs;
            performance.now() < end;
            await sleep(askAgainMs)
          ) {
            // The change is stored, so a lost connection does not fail it.
            const all = await listeners(db).catch(() => []);
            if (all.every((each) => heard.has(each))) return;
          }
        },
        end: () => heardBy.delete(change),
      };
    },
    async close() {
      closed = true;
      await listener?.end();
    },
  };
}

async function listeners(db: Db): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`select application_name as name from pg_stat_activity
    where datname = current_database() and starts_with(application_name, ${listenerPrefix})`.execute(db);
  return rows.map(({ name }) => name);
}

async function listen(
  url: string,
  name: string,
  hear: (client: pg.Client, notification: pg.Notification) => void,
): Promise<Listener> {
  const connections = mortalConnections();
  const client = new pg.Client({
    connectionString: url,
    stream: connections.stream,
    application_name: name,
    connectionTimeoutMillis: connectTimeoutMs,
    query_timeout: answerTimeoutMs,
  });
  // The code that ends a connection does not need it any more.
  const end = () => connections.end(() => client.end()).catch(() => {});
  client.on('notification', (notification) => hear(client, notification));
  client.on('error', end);
  const lost = new Promise<void>((resolve) => client.once('end', resolve));
  try {
    await client.connect();
    await client.query(`listen ${channel}; listen ${heardChannel}`);
  } catch (cause) {
    await end();
    throw cause;
  }
  const heartbeat = setInterval(() => client.query('select 1').catch(end), heartbeatMs).unref();
  lost.then(() => clearInterval(heartbeat));
  return { end, lost };
}
