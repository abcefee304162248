import { isIP, isIPv6, type LookupFunction } from 'node:net';
import { includesAddress } from '../lib/network.ts';
import type { WebhookSender } from '../ports/webhook-sender.ts';
import { createResolve, isPrivate, type Resolve } from './addresses.ts';

// An `import` of node:http loads Node's `fetch` as well: 50 ms and 14 MB at every start.
const http = process.getBuiltinModule('node:http');
const https = process.getBuiltinModule('node:https');
const timeoutMs = 10_000;
const maxAnswerBytes = 16_384;

interface Options {
  /** Private addresses and networks that the operator allows. */
  allowedNetworks: readonly string[];
  resolve?: Resolve;
}

/** What is wrong with an address, as the end of a sentence. */
class Refused extends Error {}

export function createWebhookSender({ allowedNetworks, resolve = createResolve() }: Options): WebhookSender {
  const agentOptions = { keepAlive: true, maxFreeSockets: 64 };
  const agents = { 'http:': new http.Agent(agentOptions), 'https:': new https.Agent(agentOptions) };

  /** The addresses that are allowed. The connection uses one of these and never resolves the name again. */
  async function dialable(name: string, protocol: string): Promise<string[]> {
    const addresses = await resolve(name);
    if (addresses.length === 0) throw new Refused('has a name that no name server knows');
    const allowed = addresses.filter((address) => includesAddress(allowedNetworks, address));
    if (protocol === 'http:') {
      if (allowed.length > 0) return allowed;
      throw new Refused('must start with https://; http:// is only for addresses that the operator allows');
    }
    const open = addresses.filter((address) => allowed.includes(address) || !isPrivate(address));
    if (open.length === 0)
      throw new Refused('leads to a private address; the operator can allow it with STENO_WEBHOOK_NETWORKS');
    return open;
  }

  const lookupFor =
    (protocol: string): LookupFunction =>
    (name, { all }, callback) => {
      dialable(name, protocol).then(
        (addresses) => {
          const found = addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }));
          if (all) callback(null, found);
          else callback(null, found[0]?.address ?? '', found[0]?.family);
        },
        (cause: Error) => callback(cause, []),
      );
    };

  /** Resolves once the answer is read or cut off; only its status counts. */
  function request(url: URL, headers: Record<string, string>, body: string): Promise<number> {
    const { promise, resolve: succeed, reject: fail } = Promise.withResolvers<number>();
    const protocol = url.protocol === 'http:' ? 'http:' : 'https:';
    const signal = AbortSignal.timeout(timeoutMs);
    const options = {
      method: 'POST',
      headers: { ...headers, 'content-length': String(Buffer.byteLength(body)) },
      agent: agents[protocol],
      lookup: lookupFor(protocol),
      signal,
    };
    const sent = (protocol === 'http:' ? http : https).request(url, options, (answer) => {
      const done = () => succeed(answer.statusCode ?? 0);
      let bytes = 0;
      answer.on('data', (piece: Buffer) => {
        bytes += piece.length;
        if (bytes > maxAnswerBytes) answer.destroy();
      });
      answer.on('close', done);
      answer.on('error', done);
    });
    sent.on('error', (cause: NodeJS.ErrnoException) => {
      // The receiver closed an idle connection just as it was used again.
      if (sent.reusedSocket && cause.code === 'ECONNRESET') succeed(request(url, headers, body));
      else fail(signal.aborted ? new Refused(`gave no answer within ${timeoutMs / 1000} seconds`) : cause);
    });
    sent.end(body);
    return promise;
  }

  return {
    async findFault(text) {
      try {
        const url = parse(text);
        await dialable(bareHost(url), url.protocol);
        return null;
      } catch (cause) {
        if (cause instanceof Refused) return cause.message;
        throw cause;
      }
    },

    async send(text, { headers, body }) {
      try {
        const url = parse(text);
        // For an address Node does not call `lookup`.
        if (isIP(bareHost(url)) !== 0) await dialable(bareHost(url), url.protocol);
        return { status: await request(url, headers, body) };
      } catch (cause) {
        return { error: explain(cause) };
      }
    },

    close() {
      for (const agent of Object.values(agents)) agent.destroy();
    },
  };
}

function parse(text: string): URL {
  if (!URL.canParse(text)) throw new Refused('must be an address like https://example.org/hook');
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') throw new Refused('must start with https://');
  if (url.username !== '' || url.password !== '')
    throw new Refused('must not contain a user name or password');
  return url;
}

const bareHost = ({ hostname }: URL) => hostname.replace(/^\[|\]$/g, '');

/** For the user: reveals nothing of the server's network but the error code. */
function explain(cause: unknown): string {
  if (cause instanceof Refused) return `The address ${cause.message}.`;
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown';
  return code === 'ECONNREFUSED'
    ? 'The receiver refused the connection.'
    : `The connection failed (${code}).`;
}
