import { createHash, randomBytes } from 'node:crypto';
import type {
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from '@modelcontextprotocol/client';
import { startWithAssistants } from './assistant.ts';
import type { Answer, TestOptions, TestSteno } from './steno.ts';

export const redirectUri = 'http://127.0.0.1:7777/callback';

/** An assistant as the official library wants it: it keeps its tokens, and its browser goes where it is sent. */
export function createProvider({
  redirectUrl = redirectUri,
  scope,
}: {
  redirectUrl?: string;
  scope?: string;
} = {}) {
  let client: StoredOAuthClientInformation | undefined;
  let verifier = '';
  let discovered: OAuthDiscoveryState | undefined;
  const kept: { tokens?: StoredOAuthTokens; asked?: URL } = {};
  const provider: OAuthClientProvider = {
    redirectUrl,
    clientMetadata: {
      client_name: 'Test assistant',
      redirect_uris: [redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      ...(scope === undefined ? {} : { scope }),
    },
    state: () => 'state of the assistant',
    clientInformation: () => client,
    saveClientInformation(information) {
      client = information;
    },
    tokens: () => kept.tokens,
    saveTokens(tokens) {
      kept.tokens = tokens;
    },
    redirectToAuthorization(url) {
      kept.asked = url;
    },
    saveCodeVerifier(code) {
      verifier = code;
    },
    codeVerifier: () => verifier,
    saveDiscoveryState(state) {
      discovered = state;
    },
    discoveryState: () => discovered,
    invalidateCredentials() {
      delete kept.tokens;
    },
  };
  return { provider, kept };
}

/** PKCE by hand, for requests that no library would send. */
export function newProof() {
  const verifier = randomBytes(32).toString('base64url');
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') };
}

/** An assistant that somebody connected by OAuth. */
export async function connectAssistant({ oauth, call, signIn }: TestSteno, id: string): Promise<void> {
  const redirect_uri = 'http://127.0.0.1:7777/callback';
  const { id: client_id } = await oauth.register({ name: 'Claude', redirect_uris: [redirect_uri] }, '::1');
  const { verifier, challenge } = newProof();
  const request = {
    response_type: 'code',
    client_id,
    redirect_uri,
    code_challenge: challenge,
    code_challenge_method: 'S256',
  };
  const { token: key } = await signIn({ id });
  const scopes = ['notes:read', 'notes:write'];
  const { body } = await call('POST', '/api/oauth/consent', { key, body: { request, scopes } });
  const code = new URL(body.data.redirect).searchParams.get('code') ?? '';
  await oauth.tradeCode({ code, client_id, code_verifier: verifier });
}

export const listTools = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
export const useTool = (name: string, args = {}) =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } });
export const refusedGrant = { status: 400, body: { error: 'invalid_grant' } };

export type Connecting = Awaited<ReturnType<typeof startConnecting>>;

/** The whole program, and every step of OAuth by hand. */
export async function startConnecting(options: TestOptions) {
  const steno = await startWithAssistants(options);
  const { origin } = steno.url;
  async function post(
    path: string,
    body: string | URLSearchParams,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const response = await fetch(origin + path, { method: 'POST', headers, body });
    const text = await response.text();
    return {
      status: response.status,
      headers: Object.fromEntries(response.headers),
      text,
      body: JSON.parse(text),
    };
  }
  const postForm = (path: string, fields: Record<string, string>) => post(path, new URLSearchParams(fields));
  const postJson = (path: string, body: object) =>
    post(path, JSON.stringify(body), { 'content-type': 'application/json' });
  const register = async (redirect_uris = [redirectUri], client_name = 'Test assistant') =>
    (await postJson('/oauth/register', { redirect_uris, client_name })).body.client_id as string;
  async function signedIn() {
    const { user, key } = await steno.person();
    const { cookie } = await steno.signIn(user);
    const consent = (request: object, scopes: readonly string[] | null, headers = {}): Promise<Answer> =>
      steno.call('POST', '/api/oauth/consent', {
        headers: { cookie, host: steno.url.host, ...headers },
        body: { request, scopes },
      });
    return { user, key, cookie, consent };
  }
  type Person = Awaited<ReturnType<typeof signedIn>>;
  async function asked(more: Record<string, string | undefined> = {}) {
    const { verifier, challenge } = newProof();
    const request = {
      response_type: 'code',
      client_id: more.client_id ?? (await register()),
      redirect_uri: redirectUri,
      code_challenge: challenge,
      code_challenge_method: 'S256',
      scope: 'notes:read notes:write',
      state: 'xyz',
      resource: `${origin}/mcp`,
      ...more,
    };
    return { verifier, request };
  }
  async function codeFor(person: Person, more: Record<string, string> = {}) {
    const { verifier, request } = await asked(more);
    const { body } = await person.consent(request, ['notes:read', 'notes:write']);
    const back = new URL(body.data.redirect);
    const fields = {
      grant_type: 'authorization_code',
      code: back.searchParams.get('code') ?? '',
      client_id: request.client_id,
      code_verifier: verifier,
      redirect_uri: request.redirect_uri,
      resource: `${origin}/mcp`,
    };
    return { back, fields, client_id: request.client_id };
  }
  async function connected(person?: Person) {
    const owner = person ?? (await signedIn());
    const { fields, client_id } = await codeFor(owner);
    const { status, body: tokens } = await postForm('/oauth/token', fields);
    if (status !== 200) throw new Error(`the code was answered with ${status}`);
    return { owner, fields, client_id, tokens };
  }
  const works = async (token: string, message = listTools) =>
    (await steno.post(message, { authorization: `Bearer ${token}` })).status === 200;
  const refreshed = (refresh_token: string, client_id: string, more = {}) =>
    postForm('/oauth/token', { grant_type: 'refresh_token', refresh_token, client_id, ...more });
  const grantsOf = async ({ cookie }: Person) =>
    (await steno.call('GET', '/api/grants', { headers: { cookie } })).body.data;

  return {
    ...steno,
    postForm,
    postJson,
    register,
    signedIn,
    asked,
    codeFor,
    connected,
    works,
    refreshed,
    grantsOf,
  };
}
