import { describe, expect, test } from 'vitest';
import { grantsOf, maySignIn, noGrants } from '../../src/domain/identity-provider.ts';
import { lookedAt, lookThrough } from '../../src/domain/said.ts';
import { mustFit, mustOpen } from '../../src/domain/storage.ts';
import { checkEvents } from '../../src/domain/webhook.ts';
import { newChallenge, readChallenge } from '../../src/features/identity/passkeys/schema.ts';

describe('room for audio', () => {
  const limits = { storageBytes: 100, openUploads: 2 };
  const fits = (bytes: number, more: number) => () => mustFit(limits, { bytes }, more);

  test('is there up to the limit; a full store also refuses what does not say its length', () => {
    for (const given of [fits(0, 100), fits(40, 60), fits(99, 0)]) expect(given).not.toThrow();
    for (const given of [fits(0, 101), fits(100, 1), fits(100, 0)])
      expect(given).toThrow('at most 1 MB of audio');
    expect(() => mustFit({ ...limits, storageBytes: null }, { bytes: 1e15 }, 1e15)).not.toThrow();
  });

  test('is there for so many uploads at once', () => {
    expect(() => mustOpen(limits, { bytes: 0, openUploads: 1 })).not.toThrow();
    expect(() => mustOpen(limits, { bytes: 0, openUploads: 2 })).toThrow('2 open uploads at once');
  });
});

describe('what one request looks through', () => {
  const records = (count: number, word_count: number | null = 1) =>
    Array.from({ length: count }, (_, at) => ({ id: `${at}`, created_at: `t${at}`, word_count }));
  const look = (count: number, words: number | null = 1) => {
    const { ids, until } = lookedAt(records(count, words));
    return [ids.length, until];
  };

  test('is 500 records or 400,000 words, at least one record, and says how far it got', () => {
    expect(look(0)).toEqual([0, undefined]);
    expect(look(500)).toEqual([500, undefined]);
    expect(look(501)).toEqual([500, { at: 't499', id: '499' }]);
    expect(look(501, null)).toEqual([500, { at: 't499', id: '499' }]);
    expect(look(4, 200_000)).toEqual([2, { at: 't1', id: '1' }]);
    expect(look(2, 500_000)).toEqual([1, { at: 't0', id: '0' }]);
    expect(look(1, 500_000)).toEqual([1, undefined]);
  });

  test('is nothing when nothing is looked for', async () => {
    expect(await lookThrough(undefined, async () => records(1))).toBeUndefined();
    expect(await lookThrough(' one  two ', async () => records(1))).toEqual({
      said: { among: ['0'], words: ['one', 'two'] },
      until: undefined,
    });
  });
});

describe('groups of a provider', () => {
  const rules = {
    groups: [],
    plans: [
      { group: 'paid', plan: 'pro' as const },
      { group: 'staff', plan: 'business' as const },
    ],
    operators: ['root'],
    workspaces: [
      { group: 'staff', workspaceId: 'w', role: 'member' as const },
      { group: 'heads', workspaceId: 'w', role: 'admin' as const },
      { group: 'all', workspaceId: 'w', role: 'member' as const },
    ],
  };

  test('give plan, right and roles; of two roles the higher', () => {
    expect(grantsOf(rules, [])).toEqual(noGrants);
    expect(grantsOf(rules, ['staff', 'paid'])).toEqual({
      plan: 'pro',
      operator: false,
      workspaces: [{ id: 'w', role: 'member' }],
    });
    expect(grantsOf(rules, ['heads', 'all', 'root'])).toEqual({
      plan: null,
      operator: true,
      workspaces: [{ id: 'w', role: 'admin' }],
    });
  });

  test('decide who comes in where they are named; otherwise accounts, sign-up and invitations do', () => {
    const known = { hasAccount: false, isInvited: false };
    const may = (
      groups: string[],
      identity: { email: string | null; groups: string[] },
      more: Partial<typeof known> = {},
      kind: 'open' | 'closed' = 'closed',
    ) => maySignIn({ groups }, { kind }, identity, { ...known, ...more });
    const ada = { email: 'ada@example.org', groups: ['staff'] };
    expect(may(['staff'], ada)).toBe(true);
    expect(may(['other'], ada, { hasAccount: true }, 'open')).toBe(false);
    expect(may(['other'], ada, { isInvited: true })).toBe(true);
    expect(may([], ada)).toBe(false);
    expect(may([], ada, { hasAccount: true })).toBe(true);
    expect(may([], ada, {}, 'open')).toBe(true);
    expect(may([], { ...ada, email: null }, {}, 'open')).toBe(false);
  });
});

test('a challenge counts for its purpose, from this server, for five minutes', () => {
  const challenge = newChallenge('secret', 'sign-in', 1_000);
  expect(readChallenge('secret', 'sign-in', challenge, 1_000)).toBe(301_000);
  expect(readChallenge('secret', 'sign-in', challenge, 300_999)).toBe(301_000);
  expect(readChallenge('secret', 'sign-in', challenge, 301_000)).toBeUndefined();
  expect(readChallenge('secret', 'ada', challenge, 1_000)).toBeUndefined();
  expect(readChallenge('other', 'sign-in', challenge, 1_000)).toBeUndefined();
  expect(readChallenge('secret', 'sign-in', challenge.slice(0, 40), 1_000)).toBeUndefined();
  expect(readChallenge('secret', 'sign-in', '', 1_000)).toBeUndefined();
  expect(newChallenge('secret', 'sign-in', 1_000)).not.toBe(challenge);
});

test('a webhook hears an audit log alone, or everything else', () => {
  expect(() => checkEvents(['audit.recorded'], true)).not.toThrow();
  expect(() => checkEvents(['note.created', 'note.deleted'], false)).not.toThrow();
  expect(() => checkEvents(['audit.recorded', 'note.created'], true)).toThrow('together with others');
  expect(() => checkEvents(['audit.recorded'], false)).toThrow('need workspace_id or server');
  expect(() => checkEvents(['note.created'], true)).toThrow('must be audit.recorded');
});
