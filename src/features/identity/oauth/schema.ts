import { hash, randomBytes } from 'node:crypto';
import { z } from 'zod';
import { hashSecret } from '../../../domain/api-key.ts';
import { id, timestamp } from '../../../domain/fields.ts';
import { type PersonalScope, personalScopes } from '../../../domain/scopes.ts';

/** A program that people may connect, as it registered itself. */
export const oauthClient = z.object({
  id,
  name: z.string(),
  redirect_uris: z.array(z.string()),
  network: z.string(),
  created_at: timestamp,
  used_at: timestamp.nullable(),
});
export type OAuthClient = z.infer<typeof oauthClient>;

/** What a person allows an assistant, as lists show it. */
export const grant = z.object({
  id,
  client_name: z.string().describe('What the assistant calls itself.'),
  redirect_uri: z.string().describe('Where it was connected from.'),
  scopes: z.array(z.string()),
  created_at: timestamp,
  used_at: timestamp.describe('When it last got an access token, which works for an hour.'),
  expires_at: timestamp.describe('When it ends if the assistant does not come back before.'),
});

const word = z.string().max(2_000);
/** What a client asks of a person, as its address says. */
export const authorizationRequest = z.object({
  response_type: word.optional(),
  client_id: word,
  redirect_uri: word,
  code_challenge: word.optional(),
  code_challenge_method: word.optional(),
  scope: word.optional(),
  state: word.optional(),
  resource: word.optional(),
});
export type AuthorizationRequest = z.infer<typeof authorizationRequest>;

/** A grant whose code was not used yet. */
export interface NewGrant {
  id: string;
  user_id: string;
  client_id: string;
  scopes: string[];
  resource: string;
  redirect_uri: string;
  code_hash: string;
  code_challenge: string;
  code_expires_at: string;
  created_at: string;
  expires_at: string;
}

/** The errors of RFC 6749 (4.1.2.1 and 5.2), RFC 7591 (3.2.2) and RFC 8707 that this server has. */
export type OAuthErrorCode =
  | 'invalid_request'
  | 'invalid_client'
  | 'invalid_client_metadata'
  | 'invalid_redirect_uri'
  | 'invalid_grant'
  | 'invalid_scope'
  | 'invalid_target'
  | 'access_denied'
  | 'unsupported_grant_type'
  | 'unsupported_response_type';

/** Answered as OAuth wants it, `{ error, error_description }`. */
export class OAuthRefusal extends Error {
  readonly code: OAuthErrorCode;
  constructor(code: OAuthErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

export const codeLifetimeMs = 60_000;
const accessLifetimeMs = 3_600_000;
export const refreshLifetimeMs = 30 * 86_400_000;
/**
 * A client that lost the answer to its refresh sends the same token again, after its time limit of 10 to 30 seconds. Later the
 * token counts as stolen. RFC 9700 (4.14.2) wants reuse to end the grant, and leaves such a time to the server.
 */
export const refreshLeewayMs = 30_000;
export const maxGrantsPerUser = 50;
export const maxClientNameLength = 100;
export const maxRedirectUris = 10;
const maxUriLength = 2_000;

/** No tool deletes transcriptions, and none needs the language model's own scope. */
export const assistantScopes: readonly PersonalScope[] = personalScopes.filter(
  (scope) => scope !== 'transcriptions:delete',
);

/** Of the scopes that a client asks for, those that assistants can have; without a wish, all. Others are ignored. */
export function scopesAsked(scope: string | undefined): PersonalScope[] {
  const asked = scope?.split(' ').filter((name) => name !== '') ?? [];
  return assistantScopes.filter((name) => asked.length === 0 || asked.includes(name));
}

const loopbackHosts = ['127.0.0.1', '[::1]', 'localhost'];
/** Apps whose own scheme has no dot, which RFC 8252 (7.1) wants. */
const knownSchemes = ['claude:', 'cursor:', 'vscode:', 'vscode-insiders:', 'windsurf:', 'zed:'];

/** https; http on this computer; or the scheme of an app, as RFC 8252 wants it. Never one that a browser runs or opens itself. */
export function isRedirectUri(text: string): boolean {
  if (text.length > maxUriLength || !/^[\x21-\x7e]+$/.test(text) || text.includes('#')) return false;
  const url = URL.parse(text);
  if (url?.username !== '' || url.password !== '') return false;
  if (url.protocol === 'https:') return true;
  if (url.protocol === 'http:') return loopbackHosts.includes(url.hostname);
  return /^[a-z][a-z0-9-]*(\.[a-z0-9-]+)+:$/.test(url.protocol) || knownSchemes.includes(url.protocol);
}

/** The same text; on this computer any port, because a program takes one that is free (RFC 8252, 7.3). */
export function matchesRedirect(registered: string, given: string): boolean {
  if (registered === given) return true;
  const [known, asked] = [URL.parse(registered), URL.parse(given)];
  if (known?.protocol !== 'http:' || !asked || !isRedirectUri(given)) return false;
  known.port = asked.port;
  return known.href === asked.href;
}

/** The address to which the browser is sent with an answer. */
export function redirectWith(uri: string, answer: Readonly<Record<string, string | undefined>>): string {
  const url = new URL(uri);
  for (const [name, value] of Object.entries(answer))
    if (value !== undefined) url.searchParams.set(name, value);
  return url.href;
}

/** An address of a resource without a slash at its end, which clients add as they like. */
export const sameResource = (given: string, resource: string) =>
  URL.parse(given)?.href.replace(/\/$/, '') === resource;

/** RFC 7636, S256: the only method here. */
export const isChallenge = (text: string) => /^[A-Za-z0-9_-]{43}$/.test(text);
export const answersChallenge = (verifier: string, challenge: string) =>
  /^[A-Za-z0-9._~-]{43,128}$/.test(verifier) && hash('sha256', verifier, 'base64url') === challenge;

const accessForm = /^owa_[A-Za-z0-9_-]{43}$/;
const refreshForm = /^owr_([A-Za-z0-9_-]{22})[A-Za-z0-9_-]{43}$/;
const random = (bytes: number) => randomBytes(bytes).toString('base64url');

export const looksLikeAccessToken = (token: string) => accessForm.test(token);
/** What all refresh tokens of one grant begin with; undefined if it is no refresh token. */
export const familyOf = (token: string) => refreshForm.exec(token)?.[1];

export function newCode(): { code: string; code_hash: string } {
  const code = `owc_${random(32)}`;
  return { code, code_hash: hashSecret(code) };
}

export interface TokenHashes {
  access_hash: string;
  access_expires_at: string;
  family_hash: string;
  refresh_hash: string;
  used_at: string;
  expires_at: string;
}

/** Times in milliseconds since 1970. */
export interface TokenPair {
  access: string;
  refresh: string;
  accessExpiresAt: number;
}

/** An access token and a refresh token; the text of both is in this answer and nowhere else. */
export function newTokens(now: number, family = random(16)): TokenPair & { hashes: TokenHashes } {
  const access = `owa_${random(32)}`;
  const refresh = `owr_${family}${random(32)}`;
  const accessExpiresAt = now + accessLifetimeMs;
  const hashes: TokenHashes = {
    access_hash: hashSecret(access),
    access_expires_at: new Date(accessExpiresAt).toISOString(),
    family_hash: hashSecret(family),
    refresh_hash: hashSecret(refresh),
    used_at: new Date(now).toISOString(),
    expires_at: new Date(now + refreshLifetimeMs).toISOString(),
  };
  return { access, refresh, accessExpiresAt, hashes };
}
