import { once } from 'node:events';
import { connect } from 'node:net';
import { type FuzzRequest, nextRequest, nonsense } from './requests.ts';
import { pick, type Random, seeded } from './values.ts';

const hangMs = 15_000;
const connections = 4;

export interface FuzzOptions {
  /** `http://127.0.0.1:8787` */
  origin: string;
  /** Bearer tokens to call with. */
  credentials: readonly string[];
  seed: number;
  /** Whichever comes first. */
  seconds: number;
  requests?: number;
}

export interface FuzzReport {
  requests: number;
  byStatus: Record<number, number>;
  /** What must never happen, with the request that did it. */
  faults: string[];
}

/** Sends odd requests until the time is up. */
export async function fuzz(options: FuzzOptions): Promise<FuzzReport> {
  const { origin, credentials, seed, seconds, requests = Number.POSITIVE_INFINITY } = options;
  const report: FuzzReport = { requests: 0, byStatus: {}, faults: [] };
  const until = performance.now() + seconds * 1000;

  async function work(random: Random): Promise<void> {
    while (performance.now() < until && report.requests < requests) {
      report.requests += 1;
      if (random() < 0.05) {
        const fault = await sendNonsense(origin, nonsense(random));
        if (fault) report.faults.push(fault);
        continue;
      }
      const request = nextRequest(random);
      const credential = pick(random, ['nonsense', ...credentials, ...credentials, ...credentials]);
      const { status, fault } = await send(origin, request, credential);
      report.byStatus[status] = (report.byStatus[status] ?? 0) + 1;
      if (fault) report.faults.push(`${fault}: ${shown(request)}`);
    }
  }

  // Each connection has numbers of its own, so that a seed means the same requests whoever is faster.
  await Promise.all(Array.from({ length: connections }, (_, at) => work(seeded(seed * connections + at))));
  const health = await fetch(`${origin}/healthz`, { signal: AbortSignal.timeout(hangMs) }).catch(
    () => undefined,
  );
  if (health?.status !== 200) report.faults.push('the server does not answer /healthz any more');
  return report;
}

async function send(origin: string, { method, path, body, type }: FuzzRequest, credential: string) {
  try {
    const response = await fetch(origin + path, {
      method,
      redirect: 'manual',
      headers: { authorization: `Bearer ${credential}`, ...(body && { 'content-type': type }) },
      ...(body && { body: new Uint8Array(body) }),
      signal: AbortSignal.timeout(hangMs),
    });
    return { status: response.status, fault: faultIn(response, await response.text()) };
  } catch (cause) {
    return { status: 0, fault: `no answer (${cause instanceof Error ? cause.message : cause})` };
  }
}

function faultIn({ status, headers }: Response, text: string): string | undefined {
  const isPlanned = status === 503 && headers.has('retry-after');
  if (status >= 500 && !isPlanned) return `${status} ${text.slice(0, 200)}`;
  if (status < 400) return undefined;
  try {
    const { error } = JSON.parse(text);
    if (typeof error.code === 'string' && typeof error.message === 'string') return undefined;
  } catch {
    // Told below.
  }
  return `${status} without the envelope: ${text.slice(0, 200)}`;
}

/** Any end of the connection is right, a 5xx and an open connection are not. */
async function sendNonsense(origin: string, bytes: Buffer): Promise<string | undefined> {
  const { hostname, port } = new URL(origin);
  const socket = connect(Number(port), hostname);
  let text = '';
  socket.setEncoding('latin1').on('data', (chunk) => {
    text += chunk;
  });
  socket.on('error', () => {});
  socket.end(bytes);
  try {
    await once(socket, 'close', { signal: AbortSignal.timeout(hangMs) });
  } catch {
    socket.destroy();
    return `a connection stayed open after ${JSON.stringify(bytes.toString('latin1'))}`;
  }
  return /^HTTP\/1\.1 5/m.test(text)
    ? `${text.slice(0, 100)} after ${JSON.stringify(bytes.toString('latin1'))}`
    : undefined;
}

const shown = ({ method, path, body }: FuzzRequest) =>
  `${method} ${path} ${Buffer.from(body ?? '')
    .toString('utf8')
    .slice(0, 300)}`;
