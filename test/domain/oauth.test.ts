import { hash } from 'node:crypto';
import { expect, test } from 'vitest';
import {
  answersChallenge,
  assistantScopes,
  familyOf,
  isRedirectUri,
  looksLikeAccessToken,
  matchesRedirect,
  newTokens,
  OAuthRefusal,
  redirectWith,
  sameResource,
  scopesAsked,
} from '../../src/features/identity/oauth/schema.ts';

test.each([
  ['https://assistant.example/back', true],
  ['http://127.0.0.1:5000/back', true],
  ['http://[::1]/back', true],
  ['http://localhost/back', true],
  ['http://assistant.example/back', false],
  ['com.example.app:/back', true],
  ['cursor://back', true],
  ['javascript:alert(1)', false],
  ['data:text/html,x', false],
  ['file:///etc/passwd', false],
  ['https://user@assistant.example', false],
  ['https://:word@assistant.example', false],
  ['https://assistant.example/#part', false],
  ['https://assistant.example/a b', false],
  ['no address', false],
  [`https://assistant.example/${'x'.repeat(1_974)}`, true],
  [`https://assistant.example/${'x'.repeat(1_975)}`, false],
])('%s may be returned to: %s', (uri, isAllowed) => {
  expect(isRedirectUri(uri)).toBe(isAllowed);
});

test.each([
  ['https://a.example/x', 'https://a.example/x', true],
  ['https://a.example/x', 'https://a.example:444/x', false],
  ['http://127.0.0.1/x', 'http://127.0.0.1:5000/x', true],
  ['http://127.0.0.1:4000/x', 'http://127.0.0.1:5000/x', true],
  ['http://127.0.0.1/x', 'http://127.0.0.1:5000/y', false],
  ['http://127.0.0.1/x', 'http://127.0.0.1:5000/x#y', false],
  ['http://127.0.0.1/x', 'no address', false],
  ['com.example.app:/x', 'com.example.app:/y', false],
])('who registered %s may come back to %s: %s', (registered, given, isSame) => {
  expect(matchesRedirect(registered, given)).toBe(isSame);
});

test('the browser goes back with what there is to say', () => {
  const url = redirectWith('https://a.example/x?y=1', { code: 'c d', state: undefined });
  expect(url).toBe('https://a.example/x?y=1&code=c+d');
  expect(new OAuthRefusal('invalid_grant', 'why')).toMatchObject({ code: 'invalid_grant', message: 'why' });
});

test('a resource is the same with and without a slash at its end', () => {
  expect(sameResource('https://a.example/mcp/', 'https://a.example/mcp')).toBe(true);
  expect(sameResource('https://a.example/other', 'https://a.example/mcp')).toBe(false);
  expect(sameResource('no address', 'https://a.example/mcp')).toBe(false);
});

test('an assistant gets the scopes that it asks for and may have; without a wish, all', () => {
  expect(scopesAsked(undefined)).toEqual(assistantScopes);
  expect(scopesAsked(' ')).toEqual(assistantScopes);
  expect(scopesAsked('notes:read  no:such transcriptions:delete')).toEqual(['notes:read']);
  expect(assistantScopes).not.toContain('transcriptions:delete');
});

test('a challenge is answered by its verifier alone', () => {
  const verifier = 'v'.repeat(43);
  const challenge = hash('sha256', verifier, 'base64url');
  expect(answersChallenge(verifier, challenge)).toBe(true);
  expect(answersChallenge('w'.repeat(43), challenge)).toBe(false);
  expect(answersChallenge('short', hash('sha256', 'short', 'base64url'))).toBe(false);
});

test('tokens of one grant are of one family, and end in their time', () => {
  const first = newTokens(0);
  expect(looksLikeAccessToken(first.access)).toBe(true);
  expect(looksLikeAccessToken(first.refresh)).toBe(false);
  const family = familyOf(first.refresh);
  const second = newTokens(0, family);
  expect(familyOf(second.refresh)).toBe(family);
  expect(second.hashes.family_hash).toBe(first.hashes.family_hash);
  expect(second.hashes.refresh_hash).not.toBe(first.hashes.refresh_hash);
  expect(first.hashes).toMatchObject({
    access_expires_at: '1970-01-01T01:00:00.000Z',
    used_at: '1970-01-01T00:00:00.000Z',
    expires_at: '1970-01-31T00:00:00.000Z',
  });
});
