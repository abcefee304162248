import { verifyWebhook, WebhookVerificationError } from '@steno/sdk';
import { Webhook } from 'standardwebhooks';
import { describe, expect, test } from 'vitest';
import { newWebhookSecret, signedRequest } from '../../src/domain/webhook.ts';

describe('a webhook', () => {
  const secret = newWebhookSecret();
  const delivery = {
    id: 'msg_1',
    event: 'note.created',
    resource_id: 'n',
    at: '2026-05-01T12:00:00.000Z',
  } as const;
  const sent = (now = Date.now()) =>
    signedRequest({ secret, old_secret: null, old_secret_until: null, space_id: null }, delivery, now);
  const event = {
    id: 'msg_1',
    type: 'note.created',
    timestamp: delivery.at,
    data: { id: 'n', space_id: null },
  };

  test('is verified as the server signs it, with the headers of Node and of the web', async () => {
    const { headers, body } = sent();
    expect(await verifyWebhook({ secret, headers, body })).toEqual(event);
    const bytes = new TextEncoder().encode(body);
    expect(await verifyWebhook({ secret, headers: new Headers(headers), body: bytes })).toEqual(event);
  });

  test('is verified as others sign it', async () => {
    const body = JSON.stringify({
      type: 'note.updated',
      timestamp: delivery.at,
      data: { id: 'ü', space_id: null },
    });
    const at = new Date();
    const headers = {
      'webhook-id': 'msg_2',
      'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
      // While a secret is replaced there are two, and one may be of a kind to come.
      'webhook-signature': `v2,x ${new Webhook(newWebhookSecret()).sign('msg_2', at, body)} ${new Webhook(secret).sign('msg_2', at, body)}`,
    };
    expect(await verifyWebhook({ secret, headers, body })).toMatchObject({ data: { id: 'ü' } });
  });

  test.each([
    [
      'another body',
      (request: ReturnType<typeof sent>) => ({
        ...request,
        body: request.body.replace('created', 'deleted'),
      }),
    ],
    [
      'another id',
      ({ headers, body }: ReturnType<typeof sent>) => ({ headers: { ...headers, 'webhook-id': 'x' }, body }),
    ],
    [
      'no signature',
      ({ headers: { 'webhook-signature': _, ...headers }, body }: ReturnType<typeof sent>) => ({
        headers,
        body,
      }),
    ],
    [
      'what is no Base64',
      ({ headers, body }: ReturnType<typeof sent>) => ({
        headers: { ...headers, 'webhook-signature': 'v1,*' },
        body,
      }),
    ],
    [
      'no time',
      ({ headers: { 'webhook-timestamp': _, ...headers }, body }: ReturnType<typeof sent>) => ({
        headers,
        body,
      }),
    ],
    ['an old request', () => sent(Date.now() - 400_000)],
    ['one of the future', () => sent(Date.now() + 400_000)],
  ])('is refused with %s', async (_, change) => {
    await expect(verifyWebhook({ secret, ...change(sent()) })).rejects.toThrow(WebhookVerificationError);
  });
});
