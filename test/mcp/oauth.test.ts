import { Client, StreamableHTTPClientTransport, UnauthorizedError } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { compose } from '../../src/compose.ts';
import { refreshLeewayMs } from '../../src/features/identity/oauth/schema.ts';
import {
  type Connecting,
  createProvider,
  listTools,
  newProof,
  redirectUri,
  refusedGrant,
  startConnecting,
  useTool,
} from '../support/connect.ts';
import { asOperator } from '../support/identity.ts';
import { anyDatabase, silentLog } from '../support/steno.ts';

const hourMs = 3_600_000;

describe.each(anyDatabase)('an assistant without a key on %s', (databaseKind) => {
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

  test('connects with the official client: finds the server, registers, asks, works, refreshes, and stops when disconnected', async () => {
    const person = await steno.signedIn();
    const { provider, kept } = createProvider();
    const first = new Client({ name: 'test', version: '1' });
    const transport = new StreamableHTTPClientTransport(steno.url, { authProvider: provider });
    await expect(first.connect(transport)).rejects.toThrow(UnauthorizedError);
    const request = Object.fromEntries(kept.asked?.searchParams ?? []);
    expect(kept.asked?.href.split('?')[0]).toBe(`${origin}/oauth/authorize`);
    expect(request).toMatchObject({ code_challenge_method: 'S256', resource: `${origin}/mcp` });
    const question = await steno.call('POST', '/api/oauth/request', {
      headers: { cookie: person.cookie, host: steno.url.host },
      body: request,
    });
    expect(question.body.data).toMatchObject({ client_name: 'Test assistant', redirect_uri: redirectUri });
    expect(question.body.data.scopes).toContain('notes:read');
    const { body } = await person.consent(request, ['notes:read', 'notes:write', 'usage:read']);
    const back = new URL(body.data.redirect);
    expect(back.origin + back.pathname).toBe(redirectUri);
    expect(back.searchParams.get('state')).toBe('state of the assistant');
    expect(back.searchParams.get('iss')).toBe(origin);
    await transport.finishAuth(back.searchParams);

    const client = new Client({ name: 'test', version: '1' });
    await client.connect(new StreamableHTTPClientTransport(steno.url, { authProvider: provider }));
    const names = (await client.listTools()).tools.map(({ name }) => name);
    expect(names).toContain('create_note');
    expect(names).not.toContain('list_dictionary');
    const made = await client.callTool({ name: 'create_note', arguments: { content: 'By OAuth' } });
    expect(made.isError).toBeFalsy();
    expect((await steno.call('GET', '/notes/list', { key: person.key })).body.data).toMatchObject([
      { content: 'By OAuth' },
    ]);
    const refused = await client.callTool({ name: 'list_dictionary', arguments: {} });
    expect(refused.structuredContent).toMatchObject({ error: { code: 'forbidden' } });

    const before = kept.tokens?.access_token;
    now += hourMs + 1;
    expect((await client.callTool({ name: 'list_notes', arguments: {} })).isError).toBeFalsy();
    expect(kept.tokens?.access_token).not.toBe(before);

    const [grant] = await steno.grantsOf(person);
    expect(grant).toMatchObject({
      client_name: 'Test assistant',
      redirect_uri: redirectUri,
      scopes: ['notes:read', 'notes:write', 'usage:read'],
    });
    const gone = await steno.call('DELETE', `/api/grants/${grant.id}`, {
      headers: { cookie: person.cookie },
    });
    expect(gone.status).toBe(204);
    await expect(client.callTool({ name: 'list_notes', arguments: {} })).rejects.toThrow(UnauthorizedError);
    await client.close();
    const acts = await steno.store.audit.list({ actorId: person.user.id }, { limit: 10 });
    const told = acts.map(({ act }) => act);
    expect(told.filter((act) => act.startsWith('grant.'))).toEqual(['grant.revoked', 'grant.made']);
    expect(JSON.stringify(acts)).not.toMatch(/ow[acr]_/);
  });

  test('the metadata say where everything is, under both addresses, also to web pages', async () => {
    for (const path of ['', '/mcp']) {
      const response = await fetch(`${origin}/.well-known/oauth-protected-resource${path}`);
      expect(response.headers.get('access-control-allow-origin')).toBe('*');
      expect(await response.json()).toMatchObject({
        resource: `${origin}/mcp`,
        authorization_servers: [origin],
      });
    }
    const server = await fetch(`${origin}/.well-known/oauth-authorization-server`);
    expect(await server.json()).toMatchObject({
      issuer: origin,
      registration_endpoint: `${origin}/oauth/register`,
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
    });
  });

  test('a token is for /mcp and its tools alone', async () => {
    const { tokens } = await steno.connected();
    expect(await steno.works(tokens.access_token, useTool('list_notes'))).toBe(true);
    for (const path of ['/api/v1/notes/list', '/api/v1/me', '/v1/models', '/api/sessions', '/api/grants'])
      expect([path, (await steno.call('GET', path, { key: tokens.access_token })).status]).toEqual([
        path,
        401,
      ]);
    const forged = { authorization: `Bearer ${tokens.access_token}`, 'steno-tool': 'guess' };
    expect((await steno.call('GET', '/notes/list', { headers: forged })).status).toBe(401);
    expect(await steno.works(tokens.refresh_token)).toBe(false);
  });

  test.each([
    ['a wrong verifier', { code_verifier: newProof().verifier }],
    ['the plain challenge as the verifier', { code_verifier: 'short' }],
    ['another redirect address', { redirect_uri: 'http://127.0.0.1:9999/callback' }],
    ['another resource', { resource: 'https://other.example/mcp' }],
    ['an unknown client', { client_id: '0198c0de-0000-7000-8000-000000000000' }],
    ['an unknown code', { code: `owc_${'A'.repeat(43)}` }],
  ])('a code does not work with %s, and then works with the right one', async (_, wrong) => {
    const { fields } = await steno.codeFor(await steno.signedIn());
    expect(await steno.postForm('/oauth/token', { ...fields, ...wrong })).toMatchObject(refusedGrant);
    const { status, headers } = await steno.postForm('/oauth/token', fields);
    expect([status, headers['cache-control']]).toEqual([200, 'no-store']);
  });

  test('a code of one client does not work for another', async () => {
    const { fields } = await steno.codeFor(await steno.signedIn());
    expect(
      await steno.postForm('/oauth/token', { ...fields, client_id: await steno.register() }),
    ).toMatchObject(refusedGrant);
  });

  test('a code works for a minute', async () => {
    const { fields } = await steno.codeFor(await steno.signedIn());
    now += 60_000;
    expect(await steno.postForm('/oauth/token', fields)).toMatchObject(refusedGrant);
  });

  test('a code that is used twice ends what the first use began', async () => {
    const { owner, fields, tokens, client_id } = await steno.connected();
    expect(await steno.works(tokens.access_token)).toBe(true);
    expect(await steno.postForm('/oauth/token', fields)).toMatchObject(refusedGrant);
    expect(await steno.works(tokens.access_token)).toBe(false);
    expect(await steno.refreshed(tokens.refresh_token, client_id)).toMatchObject(refusedGrant);
    expect(await steno.grantsOf(owner)).toEqual([]);
  });

  test('of two uses of a code at once at most one gets tokens that work', async () => {
    const { fields } = await steno.codeFor(await steno.signedIn());
    const answers = await Promise.all([
      steno.postForm('/oauth/token', fields),
      steno.postForm('/oauth/token', fields),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
    for (const { body } of answers)
      if (body.access_token) expect(await steno.works(body.access_token)).toBe(false);
  });

  test('a refresh token changes with each use, and an old one ends the grant', async () => {
    const { tokens, client_id, owner } = await steno.connected();
    const next = await steno.refreshed(tokens.refresh_token, client_id, { resource: `${origin}/mcp` });
    expect(next.body).toMatchObject({
      token_type: 'Bearer',
      expires_in: 3600,
      scope: 'notes:read notes:write',
    });
    expect(await steno.works(tokens.access_token)).toBe(false);
    expect(await steno.works(next.body.access_token)).toBe(true);
    now += refreshLeewayMs + 1;
    expect(await steno.refreshed(tokens.refresh_token, client_id)).toMatchObject(refusedGrant);
    expect(await steno.works(next.body.access_token)).toBe(false);
    expect(await steno.refreshed(next.body.refresh_token, client_id)).toMatchObject(refusedGrant);
    expect(await steno.grantsOf(owner)).toEqual([]);
  });

  test('a refresh token whose answer was lost gets the same pair again, for half a minute', async () => {
    const { tokens, client_id, owner } = await steno.connected();
    const refresh = () => steno.refreshed(tokens.refresh_token, client_id);
    const [first, second] = await Promise.all([refresh(), refresh()]);
    expect([first.status, second.body]).toEqual([200, first.body]);
    now += refreshLeewayMs;
    const last = await refresh();
    expect(last.body).toEqual({ ...first.body, expires_in: 3600 - refreshLeewayMs / 1000 });
    expect(await steno.works(last.body.access_token)).toBe(true);
    // Others cannot use it for that.
    expect(await steno.refreshed(tokens.refresh_token, await steno.register())).toMatchObject(refusedGrant);
    expect(await steno.works(last.body.access_token)).toBe(true);
    // Only the token before the current one: an older one was stolen, however soon it comes.
    expect((await steno.refreshed(last.body.refresh_token, client_id)).status).toBe(200);
    expect(await refresh()).toMatchObject(refusedGrant);
    expect(await steno.grantsOf(owner)).toEqual([]);
  });

  test('a refresh token is of its client and its resource, and ends nothing for others', async () => {
    const { tokens, client_id } = await steno.connected();
    expect(await steno.refreshed(tokens.refresh_token, await steno.register())).toMatchObject(refusedGrant);
    expect(
      await steno.refreshed(tokens.refresh_token, client_id, { resource: 'https://other.example/mcp' }),
    ).toMatchObject(refusedGrant);
    expect((await steno.refreshed(tokens.refresh_token, client_id)).status).toBe(200);
  });

  test('an access token works for an hour, and a refresh token for thirty days after the last', async () => {
    const { tokens, client_id, owner } = await steno.connected();
    now += hourMs;
    expect(await steno.works(tokens.access_token)).toBe(false);
    now += 29 * 24 * hourMs;
    const { body: next } = await steno.refreshed(tokens.refresh_token, client_id);
    now += 30 * 24 * hourMs;
    expect(await steno.refreshed(next.refresh_token, client_id)).toMatchObject(refusedGrant);
    const { cookie } = await steno.signIn(owner.user);
    expect(await steno.grantsOf({ ...owner, cookie })).toEqual([]);
  });

  test.each(['access_token', 'refresh_token'] as const)(
    'its client revokes by the %s, and nobody else',
    async (name) => {
      const { tokens, client_id } = await steno.connected();
      const revoke = async (client: string) =>
        (await steno.postForm('/oauth/revoke', { token: tokens[name], client_id: client })).status;
      expect(await revoke(await steno.register())).toBe(200);
      expect(await steno.works(tokens.access_token)).toBe(true);
      expect(await revoke(client_id)).toBe(200);
      expect(await steno.works(tokens.access_token)).toBe(false);
      expect(await revoke(client_id)).toBe(200);
    },
  );

  test('nobody sees or ends the grant of somebody else', async () => {
    const { tokens, owner } = await steno.connected();
    const other = await steno.signedIn();
    const [grant] = await steno.grantsOf(owner);
    expect(await steno.grantsOf(other)).toEqual([]);
    const answer = await steno.call('DELETE', `/api/grants/${grant.id}`, {
      headers: { cookie: other.cookie },
    });
    expect(answer.status).toBe(404);
    for (const key of [other.key, owner.key])
      expect((await steno.call('DELETE', `/api/grants/${grant.id}`, { key })).status).toBe(403);
    expect(await steno.works(tokens.access_token)).toBe(true);
  });

  test('the account, its plan and its notes count as for a key', async () => {
    const { tokens, owner, client_id } = await steno.connected();
    const { key: strangers } = await steno.person();
    const note = await steno.call('POST', '/notes/create', { key: strangers, body: { content: 'secret' } });
    const read = await steno.post(useTool('get_note', { id: note.body.data.id }), {
      authorization: `Bearer ${tokens.access_token}`,
    });
    expect(read.text).toContain('not_found');
    expect(Number(read.headers['x-ratelimit-limit'])).toBeGreaterThan(0);
    await steno.store.people.setSuspended(owner.user.id, new Date(now).toISOString());
    expect(await steno.works(tokens.access_token)).toBe(false);
    expect(await steno.refreshed(tokens.refresh_token, client_id)).toMatchObject(refusedGrant);
    await steno.store.people.setSuspended(owner.user.id, null);
    expect(await steno.works(tokens.access_token)).toBe(true);
    await steno.users.remove(owner.user.id);
    expect(await steno.works(tokens.access_token)).toBe(false);
  });

  test('an assistant that is connected again takes the place of the old grant', async () => {
    const person = await steno.signedIn();
    const old = await steno.connected(person);
    const { fields } = await steno.codeFor(person, { client_id: old.client_id });
    expect(await steno.works(old.tokens.access_token)).toBe(true);
    const { body } = await steno.postForm('/oauth/token', fields);
    expect([await steno.works(old.tokens.access_token), await steno.works(body.access_token)]).toEqual([
      false,
      true,
    ]);
    expect(await steno.grantsOf(person)).toHaveLength(1);
  });

  test.runIf(databaseKind === 'postgres')('what one server gave, another takes and ends', async () => {
    const { tokens, client_id } = await steno.connected();
    const second = await compose(steno.config, { log: silentLog, clock: () => now });
    try {
      const message = {
        method: 'POST' as const,
        url: '/mcp',
        headers: {
          authorization: `Bearer ${tokens.access_token}`,
          accept: 'application/json, text/event-stream',
          'content-type': 'application/json',
        },
        payload: listTools,
      };
      expect((await second.app.inject(message)).statusCode).toBe(200);
      await asOperator(second).oauth.revokeByToken(tokens.refresh_token, client_id);
      expect(await steno.works(tokens.access_token)).toBe(false);
    } finally {
      await second.close();
    }
  });
});
