import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { createAuthenticator } from '../support/authenticator.ts';
import { openMailbox } from '../support/mailbox.ts';
import { oidcClient, startOidcProvider } from '../support/openid.ts';
import { startSteno, type TestSteno } from '../support/steno.ts';

const origin = 'http://localhost';
const email = 'ada@example.org';

interface Recorded {
  headers: Record<string, string>;
  requests: {
    call: string;
    method: 'GET' | 'POST';
    path: string;
    body?: Record<string, unknown>;
    /** What the client, or an app that uses it, reads of the answer. */
    reads: string[];
  }[];
}
const recorded: Recorded = JSON.parse(
  readFileSync(join(import.meta.dirname, '../fixtures/better-auth-client.json'), 'utf8'),
);

let mailbox: Awaited<ReturnType<typeof openMailbox>>;
let provider: Awaited<ReturnType<typeof startOidcProvider>>;
let steno: TestSteno;
beforeAll(async () => {
  mailbox = await openMailbox();
  provider = await startOidcProvider([`${origin}/api/auth/callback/oidc`]);
  const { oidc, signUp } = readConfig({
    STENO_OIDC_ISSUER: provider.issuer,
    STENO_OIDC_CLIENT_ID: oidcClient.clientId,
    STENO_OIDC_CLIENT_SECRET: oidcClient.clientSecret,
    STENO_SIGNUP: 'open',
  });
  steno = await startSteno({ bare: true, config: { oidc, signUp, smtpUrl: mailbox.url } });
});
afterAll(async () => {
  await steno.close();
  await provider.close();
  await mailbox.close();
});

test('the requests of better-auth’s own client get the answers that it reads', async () => {
  const device = createAuthenticator();
  const party = { rpId: 'localhost', origin };
  let cookie = '';
  let challenge = '';
  let key = '';
  const values: Record<string, () => unknown> = {
    '{email}': () => email,
    '{code}': () => mailbox.codeFor(email),
    '{new key}': () => device.create({ ...party, challenge }),
    '{assertion}': () => device.get({ ...party, challenge }),
    '{key}': () => key,
  };
  for (const { call, method, path, body, reads } of recorded.requests) {
    const filled =
      body && Object.entries(body).map(([name, value]) => [name, values[String(value)]?.() ?? value]);
    const answer = await steno.call(method, `/api/auth${path}`, {
      headers: {
        ...recorded.headers,
        ...(cookie === '' ? {} : { cookie }),
        ...(filled ? { origin, 'content-type': 'application/json' } : {}),
      },
      ...(filled ? { body: JSON.stringify(Object.fromEntries(filled)) } : {}),
    });
    expect([call, answer.status]).toEqual([call, 200]);
    for (const field of reads) expect(answer.body[field], `${call}: ${field}`).toBeDefined();
    const [set] = [answer.headers['set-cookie'] ?? []].flat().map(String);
    if (set?.includes('session_token')) cookie = set.includes('Max-Age=0') ? '' : (set.split(';')[0] ?? '');
    challenge = answer.body.challenge ?? challenge;
    key = answer.body.credentialID === undefined ? key : answer.body.id;
    await steno.outbox.idle();
  }
});
