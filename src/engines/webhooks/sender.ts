import { isPrivate, type Resolve } from '../../lib/addresses.ts';
import { createDialer, type DialAnswer, type Guard, Refused } from '../../lib/dial.ts';
import { includesAddress } from '../../lib/network.ts';

const maxAnswerBytes = 16_384;
const maxHeadLength = 1_024;
/** A receiver may send what is only for its own clients. */
const looksSecret = /cookie|auth|token|secret|key|session|password/;

/** Sends events to the addresses that users give. It connects to no private address unless the operator allows it. */
export interface WebhookSender {
  /** Null if events may be sent there. Otherwise the end of a sentence that begins with "url". */
  findFault(url: string): Promise<string | null>;
  /** Follows no redirect, and keeps nothing of the answer but its head, without what looks like a secret. */
  send(
    url: string,
    request: { headers: Record<string, string>; body: string },
  ): Promise<{ status: number; head: string } | { error: string }>;
  close(): void;
}

interface Options {
  /** Private addresses and networks that the operator allows. */
  allowedNetworks: readonly string[];
  resolve?: Resolve;
}

export function createWebhookSender({ allowedNetworks, resolve }: Options): WebhookSender {
  const guard: Guard = (address, { protocol }) => {
    if (includesAddress(allowedNetworks, address)) return null;
    if (protocol === 'http:')
      return 'must start with https://; http:// is only for addresses that the operator allows';
    return isPrivate(address)
      ? 'leads to a private address; the operator can allow it with STENO_WEBHOOK_NETWORKS'
      : null;
  };
  const dialer = createDialer({ guard, resolve, maxAnswerBytes });

  return {
    async findFault(url) {
      try {
        await dialer.check(url);
        return null;
      } catch (cause) {
        if (cause instanceof Refused) return cause.message;
        throw cause;
      }
    },

    async send(url, { headers, body }) {
      try {
        const answer = await dialer.request(url, { method: 'POST', headers, body });
        return { status: answer.status, head: headOf(answer) };
      } catch (cause) {
        return { error: explain(cause) };
      }
    },

    close: dialer.close,
  };
}

function headOf({ status, headers }: DialAnswer): string {
  const lines = Object.entries(headers).map(
    ([name, value]) => `${name}: ${looksSecret.test(name) ? '(left out)' : value}`,
  );
  return [String(status), ...lines].join('\n').slice(0, maxHeadLength);
}

/** For the user: reveals nothing of the server's network but the error code. */
function explain(cause: unknown): string {
  if (cause instanceof Refused) return `The address ${cause.message}.`;
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown';
  return code === 'ECONNREFUSED'
    ? 'The receiver refused the connection.'
    : `The connection failed (${code}).`;
}
