import { nextStream, nextWebhook } from './followed.ts';
import { nonsense, sendNonsense } from './raw.ts';
import { type FuzzRequest, nextImport, nextRecording, nextRequest } from './requests.ts';
import { pick, type Random, seeded } from './values.ts';

const hangMs = 30_000;
/** Decoding ends after 60 s at the latest (src/engines/audio/sniff.ts), which a busy machine may need. */
const recordingHangMs = 90_000;
const connections = 4;

export interface FuzzOptions {
  /** `http://127.0.0.1:8787` */
  origin: string;
  /** Bearer tokens to call with, first that of a session. */
  credentials: readonly [string, ...string[]];
  seed: number;
  /** Whichever comes first. */
  seconds: number;
  requests?: number;
  /** The share of requests that send a damaged recording. */
  audioShare?: number;
  /** In what belongs to another account. No answer may contain it. */
  foreign?: string;
}

export interface FuzzReport {
  requests: number;
  recordings: number;
  byStatus: Record<number, number>;
  /** What must never happen, with the request that did it. */
  faults: string[];
}

/** Sends odd requests until the time is up. */
export async function fuzz(options: FuzzOptions): Promise<FuzzReport> {
  const { origin, credentials, seed, seconds, audioShare = 0, foreign } = options;
  const { requests = Number.POSITIVE_INFINITY } = options;
  const report: FuzzReport = { requests: 0, recordings: 0, byStatus: {}, faults: [] };
  const until = performance.now() + seconds * 1000;

  async function work(random: Random): Promise<void> {
    for (let sent = 0; sent < requests / connections && performance.now() < until; sent += 1) {
      report.requests += 1;
      if (random() < 0.05) {
        const fault = await sendNonsense(origin, nonsense(random));
        if (fault) report.faults.push(fault);
        continue;
      }
      const isRecording = random() < audioShare;
      const request = isRecording ? nextRecording(random) : next(random);
      const credential = credentialFor(request, credentials, random);
      const { status, fault } = await send(origin, request, credential, foreign);
      report.recordings += isRecording ? 1 : 0;
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

/** To any operation, or to one of those that hold more than an answer. */
function next(random: Random): FuzzRequest {
  if (random() > 0.1) return nextRequest(random);
  return pick(random, [nextImport, nextStream, nextWebhook])(random);
}

/** Mostly one that opens the route: outside of `/api/v1` and `/v1`, only the session does. */
function credentialFor(
  { path }: FuzzRequest,
  credentials: readonly [string, ...string[]],
  random: Random,
): string {
  const dice = random();
  if (dice < 0.05) return 'nonsense';
  return dice < 0.85 && !/^(\/api)?\/v1\//.test(path) ? credentials[0] : pick(random, credentials);
}

async function send(origin: string, request: FuzzRequest, credential: string, foreign: string | undefined) {
  const { method, path, body, headers, hangUpMs } = request;
  const longestMs = /\/(transcribe|transcriptions)$/.test(path) ? recordingHangMs : hangMs;
  const signal = AbortSignal.timeout(hangUpMs ?? longestMs);
  try {
    const response = await fetch(origin + path, {
      method,
      redirect: 'manual',
      headers: { ...headers, authorization: `Bearer ${credential}` },
      ...(body && { body: new Uint8Array(body) }),
      signal,
    });
    const text = await textOf(response);
    const isForeign = foreign !== undefined && text.includes(foreign);
    const fault = isForeign
      ? `${response.status} with data of another account`
      : faultIn(method, response, text);
    return { status: response.status, fault };
  } catch (cause) {
    if (hangUpMs !== undefined && signal.aborted) return { status: 0, fault: undefined };
    return { status: 0, fault: `no answer (${cause instanceof Error ? cause.message : cause})` };
  }
}

/** Of a stream of events only the beginning, up to the first event: it ends when the recording does. */
async function textOf(response: Response): Promise<string> {
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream');
  if (!isStream || !response.body) return response.text();
  let text = '';
  for await (const chunk of response.body) {
    text += Buffer.from(chunk).toString();
    if (text.includes('data:')) break;
  }
  return text;
}

function faultIn(method: string, { status, headers }: Response, text: string): string | undefined {
  const isPlanned = status === 503 && headers.has('retry-after');
  if (status >= 500 && !isPlanned) return `${status} ${text.slice(0, 200)}`;
  // An answer to HEAD has no body.
  if (status < 400 || method === 'HEAD') return undefined;
  try {
    const { error } = JSON.parse(text);
    if (typeof error.code === 'string' && typeof error.message === 'string') return undefined;
  } catch {
    // Told below.
  }
  return `${status} without the envelope: ${text.slice(0, 200)}`;
}

const shown = ({ method, path, body }: FuzzRequest) =>
  `${method} ${path} ${Buffer.from(body ?? '')
    .toString('utf8')
    .slice(0, 300)}`;
