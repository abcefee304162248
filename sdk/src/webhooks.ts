import type { components } from './schema.d.ts';

export type WebhookEvent = components['schemas']['WebhookEvent'] | components['schemas']['AuditWebhookEvent'];

/** The request does not come from a server that knows the secret, or it is an old one. */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';
}

interface ReceivedWebhook {
  /** `whsec_…`, which the server showed when the webhook was made. */
  secret: string;
  /** The headers of the request, from a `Request` or from Node's `IncomingMessage`. */
  headers: Headers | Record<string, string | readonly string[] | undefined>;
  /** The body as it came. Parsed and written again, it may differ. */
  body: string | Uint8Array;
  /** How old it may be: an attacker may send again what they have seen. */
  toleranceSeconds?: number;
}

/** Returns the event if the request is genuine (Standard Webhooks). Its `id` is the same whenever the event is sent. */
export async function verifyWebhook({
  secret,
  headers,
  body,
  toleranceSeconds = 300,
}: ReceivedWebhook): Promise<WebhookEvent & { id: string }> {
  const read = (name: string) =>
    String((headers instanceof Headers ? headers.get(name) : headers[name]) ?? '');
  const [id, timestamp] = [read('webhook-id'), read('webhook-timestamp')];
  // Not a number is never near.
  if (!(Math.abs(Date.now() / 1000 - Number(timestamp || Number.NaN)) <= toleranceSeconds))
    throw new WebhookVerificationError('The request is too old, or this clock is wrong.');
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${text}`);
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', bytesOf(secret.replace(/^whsec_/, '')), algorithm, false, [
    'verify',
  ]);
  // Several while a secret is being replaced.
  for (const signature of read('webhook-signature').split(' ')) {
    const [version, mac = ''] = signature.split(',');
    if (version === 'v1' && (await crypto.subtle.verify('HMAC', key, bytesOf(mac), signed)))
      return { ...JSON.parse(text), id };
  }
  throw new WebhookVerificationError('The signature is not of this secret.');
}

/** What is no Base64 is no signature either. */
function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  } catch {
    return new Uint8Array(1);
  }
}
