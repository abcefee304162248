import { isIP, isIPv6, type LookupFunction } from 'node:net';
import { createResolve, type Resolve } from './addresses.ts';

// An `import` of node:http loads Node's `fetch` as well: 50 ms and 14 MB at every start.
const http = process.getBuiltinModule('node:http');
const https = process.getBuiltinModule('node:https');
const timeoutMs = 10_000;

/** What is wrong with an address, as the end of a sentence. */
export class Refused extends Error {}

/** Null if this address of a host may be called. Otherwise what is wrong, as the end of a sentence. */
export type Guard = (address: string, url: { protocol: string; host: string }) => string | null;

interface Options {
  guard: Guard;
  resolve?: Resolve | undefined;
  /** The most bytes that are read of an answer. */
  maxAnswerBytes: number;
}

export interface DialRequest {
  method: string;
  headers: Record<string, string>;
  body?: string | undefined;
}

export interface DialAnswer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
  /** The answer was longer, and the rest of it was not read. */
  isCut: boolean;
}

/** Calls addresses that others chose. It connects to nothing that the guard refuses, and follows no redirect. */
export function createDialer({ guard, resolve = createResolve(), maxAnswerBytes }: Options) {
  const agentOptions = { keepAlive: true, maxFreeSockets: 64 };
  const agents = { 'http:': new http.Agent(agentOptions), 'https:': new https.Agent(agentOptions) };

  /** The addresses that are allowed. The connection uses one of these and never resolves the name again. */
  async function dialable(host: string, protocol: string): Promise<string[]> {
    const addresses = await resolve(host);
    const faults = addresses.map((address) => guard(address, { protocol, host }));
    const allowed = addresses.filter((_, index) => faults[index] === null);
    if (allowed.length === 0) throw new Refused(faults[0] ?? 'has a name that no name server knows');
    return allowed;
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

  /** Resolves once the answer is read or cut off. */
  function send(url: URL, { method, headers, body = '' }: DialRequest): Promise<DialAnswer> {
    const { promise, resolve: succeed, reject: fail } = Promise.withResolvers<DialAnswer>();
    const protocol = url.protocol === 'http:' ? 'http:' : 'https:';
    const signal = AbortSignal.timeout(timeoutMs);
    const length = method === 'GET' ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const options = {
      method,
      headers: { ...headers, ...length },
      agent: agents[protocol],
      lookup: lookupFor(protocol),
      signal,
    };
    const sent = (protocol === 'http:' ? http : https).request(url, options, (answer) => {
      const pieces: Buffer[] = [];
      let bytes = 0;
      const done = () =>
        succeed({
          status: answer.statusCode ?? 0,
          headers: answer.headers,
          body: Buffer.concat(pieces),
          isCut: !answer.complete,
        });
      answer.on('data', (piece: Buffer) => {
        bytes += piece.length;
        if (bytes > maxAnswerBytes) answer.destroy();
        else pieces.push(piece);
      });
      answer.on('close', done);
      answer.on('error', done);
    });
    sent.on('error', (cause: NodeJS.ErrnoException) => {
      // The receiver closed an idle connection just as it was used again.
      if (sent.reusedSocket && cause.code === 'ECONNRESET') succeed(send(url, { method, headers, body }));
      else fail(signal.aborted ? new Refused(`gave no answer within ${timeoutMs / 1000} seconds`) : cause);
    });
    sent.end(body);
    return promise;
  }

  return {
    /** Raises `Refused` if nothing there may be called. */
    async check(text: string): Promise<void> {
      const url = parse(text);
      await dialable(bareHost(url), url.protocol);
    },

    /** Raises `Refused`, or what went wrong with the connection. */
    async request(text: string, request: DialRequest): Promise<DialAnswer> {
      const url = parse(text);
      // For an address Node does not call `lookup`.
      if (isIP(bareHost(url)) !== 0) await dialable(bareHost(url), url.protocol);
      return send(url, request);
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
