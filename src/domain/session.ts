import { randomBytes } from 'node:crypto';
import { hashSecret } from './api-key.ts';

/** A signed-in device, as its owner sees it. */
export interface Session {
  id: string;
  ip_address: string | null;
  user_agent: string | null;
  created_at: string;
  expires_at: string;
}

export const sessionLifetimeMs = 30 * 86_400_000;
export const signInLinkLifetimeMs = 900_000;
export const agentTokenLifetimeMs = 900_000;

/** The cookie is `steno.session_token`, behind TLS `__Secure-steno.session_token`. */
export const cookiePrefix = 'steno';
const sessionCookie = /(?:^|;\s*)(?:__Secure-)?steno\.session_token=([^;]+)/;
const agentTokenForm = /^owt_[A-Za-z0-9_-]{43}$/;
// 190 random bits, found by their hash; the signature after the dot, where there is one, adds nothing to that.
const sessionTokenForm = /^([A-Za-z0-9]{32})(?:\.[A-Za-z0-9+/=%_-]+)?$/;

export const looksLikeAgentToken = (token: string) => agentTokenForm.test(token);

/** The hash a session is stored by; undefined for what cannot be a session token. */
export function hashSessionToken(token: string): string | undefined {
  const bare = sessionTokenForm.exec(token)?.[1];
  return bare === undefined ? undefined : hashSecret(bare);
}

export const sessionTokenOf = (cookies: string) => sessionCookie.exec(cookies)?.[1];

export function newToken(prefix: 'owt_' | ''): { token: string; token_hash: string } {
  const token = prefix + randomBytes(32).toString('base64url');
  return { token, token_hash: hashSecret(token) };
}
