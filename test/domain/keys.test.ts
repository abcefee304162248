import { expect, test } from 'vitest';
import {
  hashSecret,
  looksLikeKey,
  maxActiveKeysPerUser,
  maxAllowedAddresses,
  maxGraceHours,
  maxKeyLifetimeDays,
  newKey,
  newSecret,
} from '../../src/domain/api-key.ts';
import { turnedOffBy } from '../../src/domain/policy.ts';
import { expandScopes, personalScopes, workspaceScopes } from '../../src/domain/scopes.ts';

test.each([
  ['personal', /^owk_live_[\w-]{43}$/],
  ['workspace', /^ow_wks_live_[\w-]{43}$/],
] as const)('a %s key has 32 random bytes, and only its hash and its beginning are stored', (kind, form) => {
  const { secret, key_hash, key_prefix } = newSecret(kind);
  expect(secret).toMatch(form);
  expect([key_hash, key_prefix]).toEqual([hashSecret(secret), secret.slice(0, 16)]);
  expect(looksLikeKey(secret)).toBe(true);
  expect(newSecret(kind).secret).not.toBe(secret);
  for (const wrong of [`${secret}x`, secret.slice(0, -1), ` ${secret}`, secret.replace('_live_', '_test_')])
    expect(looksLikeKey(wrong)).toBe(false);
});

test('a new key was never used', () => {
  const { key, ...made } = newKey({
    id: 'k',
    kind: 'personal',
    name: 'K',
    scopes: [],
    user_id: 'u',
    workspace_id: null,
    description: null,
    expires_at: null,
    allowed_addresses: null,
    created_at: '2026-01-01T00:00:00.000Z',
  });
  expect(made).toMatchObject({
    id: 'k',
    key_hash: hashSecret(key),
    last_used_at: null,
    last_used_route: null,
  });
});

test('the numbers of the contract', () => {
  expect([maxActiveKeysPerUser, maxAllowedAddresses, maxGraceHours, maxKeyLifetimeDays]).toEqual([
    5, 20, 24, 36_500,
  ]);
});

test.each<[string[], readonly string[]]>([
  [[], []],
  [
    ['usage:read', 'notes:read'],
    ['notes:read', 'usage:read'],
  ],
  [['workspace:*'], workspaceScopes],
  [
    ['notes:read', 'workspace:*'],
    ['notes:read', ...workspaceScopes],
  ],
  [['notes:*', 'nonsense'], []],
  [[...personalScopes], personalScopes],
])('%j is %j', (granted, scopes) => {
  expect(expandScopes(granted)).toEqual(scopes);
});

test.each([
  [[], []],
  [['block_cloud_transcription'], ['cloud transcription']],
  [['block_cloud_backup'], ['cloud backup']],
  [['block_language_models'], ['language models']],
  [
    ['block_cloud_transcription', 'block_cloud_backup', 'block_language_models'],
    ['cloud transcription', 'cloud backup', 'language models'],
  ],
])('a policy with %j turns off %j', (blocked, policies) => {
  const isBlocked = (field: string) => blocked.includes(field);
  const policy = {
    block_cloud_transcription: isBlocked('block_cloud_transcription'),
    block_cloud_backup: isBlocked('block_cloud_backup'),
    block_language_models: isBlocked('block_language_models'),
  };
  expect(turnedOffBy(policy)).toEqual(policies);
});
