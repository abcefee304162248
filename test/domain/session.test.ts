import { describe, expect, test } from 'vitest';
import { hashSecret } from '../../src/domain/api-key.ts';
import {
  agentTokenLifetimeMs,
  bareSessionToken,
  hashSessionToken,
  hasOpenedLink,
  isDueForExtension,
  linkCookie,
  looksLikeAgentToken,
  newSession,
  newToken,
  sessionCookie,
  sessionTokenOf,
  signInLinkLifetimeMs,
} from '../../src/domain/session.ts';

const dayMs = 86_400_000;
const now = Date.parse('2026-03-01T12:00:00.000Z');
const token = 'aB3'.padEnd(32, 'x');
const device = { address: '192.0.2.7', userAgent: 'Test' };

test('a new session lasts 30 days and is stored by the hash of its token', () => {
  const { token: made, session } = newSession('s', now, device);
  expect(made).toMatch(/^[A-Za-z0-9]{32}$/);
  expect(new Set([...made]).size).toBeGreaterThan(8);
  expect(session).toEqual({
    id: 's',
    token_hash: hashSecret(made),
    ip_address: '192.0.2.7',
    user_agent: 'Test',
    created_at: '2026-03-01T12:00:00.000Z',
    updated_at: '2026-03-01T12:00:00.000Z',
    expires_at: '2026-03-31T12:00:00.000Z',
    provider: null,
    app_password_id: null,
  });
  expect(newSession('s', now, device).token).not.toBe(made);
});

test.each([
  [dayMs - 1, false],
  [dayMs, true],
  [29 * dayMs, true],
])('after %i ms, a session in use is extended: %s', (ms, due) => {
  const { session } = newSession('s', now, device);
  expect(isDueForExtension(session, now + ms)).toBe(due);
});

test.each<[string, string | undefined]>([
  [token, token],
  [`${token}.c2lnbmVk`, token],
  [`${token}.`, undefined],
  [token.slice(1), undefined],
  [`${token}x`, undefined],
  [`${token.slice(1)}!`, undefined],
  ['', undefined],
])('%s: its token is %s', (text, bare) => {
  expect(bareSessionToken(text)).toBe(bare);
  expect(hashSessionToken(text)).toBe(bare && hashSecret(bare));
});

describe('the cookie of a session', () => {
  test.each<[boolean, string]>([
    [true, `__Secure-steno.session_token=${token}; Max-Age=2592000; Path=/; HttpOnly; Secure; SameSite=Lax`],
    [false, `steno.session_token=${token}; Max-Age=2592000; Path=/; HttpOnly; SameSite=Lax`],
  ])('is set, secure: %s', (secure, header) => {
    expect(sessionCookie(token, { secure })).toBe(header);
  });

  test('is removed', () => {
    expect(sessionCookie(undefined, { secure: false })).toBe(
      'steno.session_token=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax',
    );
  });

  test.each<[string, string | undefined]>([
    [`steno.session_token=${token}`, token],
    [`a=b; __Secure-steno.session_token=${token}; c=d`, token],
    [`a=b;steno.session_token=${token};c=d`, token],
    [`not-steno.session_token=${token}`, undefined],
    ['a=b', undefined],
  ])('is found in %s', (cookies, found) => {
    expect(sessionTokenOf(cookies)).toBe(found);
  });
});

test.each<[boolean, string]>([
  [true, '; Max-Age=900; Path=/auth/link; HttpOnly; Secure; SameSite=Strict'],
  [false, '; Max-Age=900; Path=/auth/link; HttpOnly; SameSite=Strict'],
])(
  'a browser that opened the link shows it with a cookie, and only for this link; secure: %s',
  (secure, end) => {
    const cookie = linkCookie('link one', '/auth/link', { secure });
    expect(cookie.startsWith('__Secure-')).toBe(secure);
    expect(cookie.endsWith(end)).toBe(true);
    const [sent = ''] = cookie.split(';');
    expect(sent).not.toContain('link one');
    expect(hasOpenedLink(`a=b; ${sent}`, 'link one')).toBe(true);
    expect(hasOpenedLink(sent, 'link two')).toBe(false);
    expect(hasOpenedLink('', 'link one')).toBe(false);
  },
);

test('links and agent tokens last a quarter of an hour', () => {
  expect([signInLinkLifetimeMs, agentTokenLifetimeMs]).toEqual([900_000, 900_000]);
});

test('an agent token has 32 random bytes, is told by its form and stored by its hash', () => {
  const made = newToken('owt_');
  expect(looksLikeAgentToken(made.token)).toBe(true);
  expect(made.token_hash).toBe(hashSecret(made.token));
  expect(looksLikeAgentToken(newToken('').token)).toBe(false);
  expect(looksLikeAgentToken(`${made.token}x`)).toBe(false);
});
