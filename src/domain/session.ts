import { randomBytes, randomInt } from 'node:crypto';
import { z } from 'zod';
import { networkOf } from '../lib/network.ts';
import { hashSecret } from './api-key.ts';
import { id, timestamp } from './fields.ts';
import type { User } from './user.ts';

/** A signed-in device, as its owner sees it. */
export const session = z.object({
  id,
  ip_address: z.string().nullable(),
  user_agent: z.string().nullable(),
  created_at: timestamp,
  expires_at: timestamp,
});
export type Session = z.infer<typeof session>;

/** `updated_at` is the time of the last extension. */
export interface StoredSession extends Session {
  user_id: string;
  token_hash: string;
  updated_at: string;
  /** The issuer of the provider that the person signed in with; null for every other way. */
  provider: string | null;
  /** The app password that it began with; null for every other way. It ends with it. */
  app_password_id: string | null;
}

/** A session whose user is not known yet. */
export type NewSession = Omit<StoredSession, 'user_id'>;

export interface SignedIn {
  token: string;
  session: StoredSession;
  user: User;
}

export interface Device {
  address: string;
  userAgent: string;
}

export const sessionLifetimeMs = 30 * 86_400_000;
/** A session in use is extended at most this often, so that reading it rarely causes a write. */
const sessionExtendedEveryMs = 86_400_000;
export const signInLinkLifetimeMs = 900_000;
export const oneTimeTokenLifetimeMs = 180_000;
export const agentTokenLifetimeMs = 900_000;

const cookieName = 'steno.session_token';
const sessionCookieForm = /(?:^|;\s*)(?:__Secure-)?steno\.session_token=([^;]+)/;
const agentTokenForm = /^owt_[A-Za-z0-9_-]{43}$/;
// 190 random bits, looked up by their hash. Version 0.1 added a dot and a signature, which is ignored.
const sessionTokenForm = /^([A-Za-z0-9]{32})(?:\.[A-Za-z0-9+/=%_-]+)?$/;

export const looksLikeAgentToken = (token: string) => agentTokenForm.test(token);

/** The token without a signature; undefined if it cannot be a session token. */
export const bareSessionToken = (token: string) => sessionTokenForm.exec(token)?.[1];

/** The hash in the database; undefined if it cannot be a session token. */
export function hashSessionToken(token: string): string | undefined {
  const bare = bareSessionToken(token);
  return bare === undefined ? undefined : hashSecret(bare);
}

export const sessionTokenOf = (cookies: string) => sessionCookieForm.exec(cookies)?.[1];

/** The `Set-Cookie` header that sets the session of a browser or, without a token, removes it. */
export function sessionCookie(token: string | undefined, { secure }: { secure: boolean }): string {
  const name = secure ? `__Secure-${cookieName}` : cookieName;
  const maxAge = token === undefined ? 0 : sessionLifetimeMs / 1000;
  return `${name}=${token ?? ''}; Max-Age=${maxAge}; Path=/; HttpOnly; ${secure ? 'Secure; ' : ''}SameSite=Lax`;
}

const linkCookieForm = /(?:^|;\s*)(?:__Secure-)?steno\.sign_in_link=([^;]+)/;
const linkMark = (link: string) => hashSecret(`opened ${link}`);

/** The `Set-Cookie` header that shows that this browser opened the link. Forms of other sites do not send the cookie. */
export const linkCookie = (link: string, path: string, { secure }: { secure: boolean }) =>
  `${secure ? '__Secure-' : ''}steno.sign_in_link=${linkMark(link)}; Max-Age=${signInLinkLifetimeMs / 1000}; Path=${path}; HttpOnly; ${secure ? 'Secure; ' : ''}SameSite=Strict`;

export const hasOpenedLink = (cookies: string, link: string) =>
  linkCookieForm.exec(cookies)?.[1] === linkMark(link);

export const isDueForExtension = ({ expires_at }: Session, now: number) =>
  now >= Date.parse(expires_at) - sessionLifetimeMs + sessionExtendedEveryMs;

export function newSession(
  id: string,
  at: number,
  device: Device,
  provider: string | null = null,
): { token: string; session: NewSession } {
  const token = newSessionToken();
  const now = new Date(at).toISOString();
  const session = {
    id,
    token_hash: hashSecret(token),
    ip_address: networkOf(device.address),
    user_agent: device.userAgent,
    expires_at: new Date(at + sessionLifetimeMs).toISOString(),
    created_at: now,
    updated_at: now,
    provider,
    app_password_id: null,
  };
  return { token, session };
}

const tokenLetters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const newSessionToken = () =>
  Array.from({ length: 32 }, () => tokenLetters.charAt(randomInt(tokenLetters.length))).join('');

export function newToken(prefix: 'owt_' | ''): { token: string; token_hash: string } {
  const token = prefix + randomBytes(32).toString('base64url');
  return { token, token_hash: hashSecret(token) };
}
