import { expect, test } from 'vitest';
import { allowsSignUp, parseEmail, type SignUpRule } from '../../src/domain/email.ts';
import { nameFrom, normalizeEmail } from '../../src/domain/user.ts';

const domain = `${'d'.repeat(61)}.${'d'.repeat(61)}.${'d'.repeat(61)}.org`;

test.each([
  ['Ada@Example.ORG', 'ada@example.org'],
  ['a.b+c@mail.example.org', 'a.b+c@mail.example.org'],
  [`${'a'.repeat(64)}@example.org`, `${'a'.repeat(64)}@example.org`],
  [`${'a'.repeat(64)}@${domain}`.slice(0, 254), `${'a'.repeat(64)}@${domain}`.slice(0, 254)],
])('%s is the address %s', (text, email) => {
  expect(parseEmail(text)).toBe(email);
});

test.each([
  '',
  'ada',
  'ada@',
  '@example.org',
  'ada@localhost',
  'ada@example.o',
  'a..b@example.org',
  '.a@example.org',
  'ada@-example.org',
  'ada@example.org\nBcc: x@example.org',
  'Ada <ada@example.org>',
  `${'a'.repeat(65)}@example.org`,
  `${'a'.repeat(60)}@${'d'.repeat(60)}.${'d'.repeat(60)}.${'d'.repeat(60)}.examples.org`,
])('%j is no address', (text) => {
  expect(() => parseEmail(text)).toThrow('email must be an e-mail address');
});

test('254 characters fit, 255 do not', () => {
  const of = (length: number) => {
    const local = 'a'.repeat(60);
    const middle = length - local.length - '@.org'.length - 2 * 64;
    return `${local}@${'d'.repeat(63)}.${'d'.repeat(63)}.${'d'.repeat(middle)}.org`;
  };
  expect(of(254)).toHaveLength(254);
  expect(parseEmail(of(254))).toBe(of(254));
  expect(() => parseEmail(of(255))).toThrow();
});

test.each<[SignUpRule, string, boolean]>([
  [{ kind: 'closed' }, 'a@example.org', false],
  [{ kind: 'open' }, 'a@example.org', true],
  [{ kind: 'domains', domains: ['example.org'] }, 'a@example.org', true],
  [{ kind: 'domains', domains: ['example.org'] }, 'a@evil-example.org', false],
  [{ kind: 'domains', domains: ['example.org'] }, 'a@sub.example.org', false],
])('%o lets %s in: %s', (rule, email, allowed) => {
  expect(allowsSignUp(rule, email)).toBe(allowed);
});

test('accounts are compared without case and spaces, and a name comes from the address', () => {
  expect(normalizeEmail(' Ada@Example.org ')).toBe('ada@example.org');
  expect(nameFrom('ada.l@example.org')).toBe('ada.l');
});
