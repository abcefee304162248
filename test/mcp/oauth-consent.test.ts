import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Connecting, startConnecting } from '../support/connect.ts';
import { anyDatabase } from '../support/steno.ts';

const hourMs = 3_600_000;

describe.each(anyDatabase)('consent for an assistant on %s', (databaseKind) => {
  let now = Date.now();
  let steno: Connecting;
  let origin: string;
  beforeAll(async () => {
    steno = await startConnecting({ databaseKind, clock: () => now });
    origin = steno.url.origin;
  });
  afterAll(() => steno.close());
  beforeEach(() => {
    now += 25 * hourMs;
  });

  test('consent is given by a page of this server and a session, and by nothing else', async () => {
    const person = await steno.signedIn();
    const { request } = await steno.asked();
    const allow = (headers: Record<string, string | undefined>) =>
      person.consent(request, ['notes:read'], headers);
    expect((await allow({ origin: 'https://evil.example' })).status).toBe(403);
    expect((await allow({ origin: undefined })).status).toBe(403);
    expect((await allow({ origin: 'null' })).status).toBe(403);
    expect((await allow({ cookie: undefined })).status).toBe(401);
    const body = { request, scopes: ['notes:read'] };
    expect((await steno.call('POST', '/api/oauth/consent', { key: person.key, body })).status).toBe(403);
    const { user } = await steno.person();
    expect((await allow({ 'steno-user': user.id })).status).toBe(401);
    const { tokens } = await steno.connected();
    expect((await steno.call('POST', '/api/oauth/consent', { key: tokens.access_token, body })).status).toBe(
      401,
    );
    expect(await steno.grantsOf(person)).toEqual([]);
  });

  test.each([
    'https://evil.example/callback',
    'http://127.0.0.1:7777/other',
    'http://127.0.0.1:7777/callback?more=1',
    'http://localhost:7777/callback',
    'http://127.0.0.1@evil.example/callback',
    'javascript:alert(1)',
    '/notes',
  ])('nobody is sent to %s, which was not registered', async (redirect_uri) => {
    const person = await steno.signedIn();
    const { request } = await steno.asked({ redirect_uri });
    for (const scopes of [['notes:read'], null]) {
      const { status, text } = await person.consent(request, scopes);
      expect(status).toBe(400);
      expect(text).not.toContain('redirect"');
    }
  });

  test('a program on this computer may come back at another port', async () => {
    const { back } = await steno.codeFor(await steno.signedIn(), {
      redirect_uri: 'http://127.0.0.1:50123/callback',
    });
    expect(back.port).toBe('50123');
  });

  test.each([
    ['unsupported_response_type', { response_type: 'token' }],
    ['invalid_request', { code_challenge_method: 'plain' }],
    ['invalid_request', { code_challenge: undefined }],
    ['invalid_target', { resource: 'https://other.example/mcp' }],
    ['invalid_scope', { scope: 'llm:use admin' }],
  ])('the client is told %s at its own address', async (error, wrong) => {
    const person = await steno.signedIn();
    const { request } = await steno.asked(wrong);
    const { body } = await person.consent(request, ['notes:read']);
    const { searchParams } = new URL(body.data.redirect);
    expect([searchParams.get('error'), searchParams.get('state'), searchParams.get('iss')]).toEqual([
      error,
      'xyz',
      origin,
    ]);
    expect(searchParams.get('code')).toBeNull();
  });

  test('a refusal of the person is told, and more scopes than were asked are not given', async () => {
    const person = await steno.signedIn();
    const { request } = await steno.asked();
    for (const scopes of [null, [], ['dictionary:read']]) {
      const { body } = await person.consent(request, scopes);
      expect(new URL(body.data.redirect).searchParams.get('error')).toBe('access_denied');
    }
  });

  test.each([
    'http://example.org/callback',
    'https://example.org/#part',
    'https://name@example.org/',
    'javascript:alert(1)',
    'data:text/html,x',
    'file:///etc/passwd',
    'ftp://example.org/',
    'nodot:/callback',
    'not an address',
  ])('%s cannot be registered', async (address) => {
    expect(await steno.postJson('/oauth/register', { redirect_uris: [address] })).toMatchObject({
      status: 400,
      body: { error: 'invalid_redirect_uri' },
    });
  });

  test.each([
    'https://claude.ai/api/mcp/auth_callback',
    'com.example.app:/callback',
    'cursor://anysphere.cursor/callback',
    'http://[::1]:1/',
  ])('%s can be registered', async (address) => {
    expect((await steno.postJson('/oauth/register', { redirect_uris: [address] })).status).toBe(201);
  });

  test('broken requests are told in the words of OAuth', async () => {
    expect(await steno.postForm('/oauth/token', {})).toMatchObject({
      status: 401,
      body: { error: 'invalid_client' },
    });
    expect(await steno.postForm('/oauth/token', { client_id: 'x', grant_type: 'password' })).toMatchObject({
      status: 400,
      body: { error: 'unsupported_grant_type' },
    });
    const twice = await fetch(`${origin}/oauth/token`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'client_id=a&client_id=b',
    });
    expect(await twice.json()).toMatchObject({ error: 'invalid_request' });
    expect(await steno.postJson('/oauth/register', { redirect_uris: [], client_name: 7 })).toMatchObject({
      status: 400,
      body: { error: 'invalid_client_metadata' },
    });
  });
});
