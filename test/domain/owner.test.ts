import { describe, expect, test } from 'vitest';
import { checkSpaceId, ownedBy, reachOf, reachOfRecorded } from '../../src/domain/owner.ts';
import type { Principal } from '../../src/domain/principal.ts';

const caller = {
  userId: 'u',
  plan: 'business',
  scopes: [],
  blockedBy: [],
  expiresAt: null,
  allowedAddresses: null,
  limitKey: 'k',
} as const;
const key = { id: 'k', name: 'key' };
const principals: Record<Principal['kind'], Principal> = {
  personal: { ...caller, kind: 'personal', key },
  workspace: { ...caller, kind: 'workspace', key, workspaceId: 'w' },
  session: { ...caller, kind: 'session', key: null, sessionId: 's', isOperator: false },
  agent: { ...caller, kind: 'agent', key: null },
};
const own = { kind: 'owner', ownerId: 'u' };
const spaces = { kind: 'any space of', workspaceId: 'w' };
const member = { kind: 'member', userId: 'u' };

test.each<[Principal['kind'], object, object]>([
  ['personal', own, own],
  ['workspace', spaces, spaces],
  ['session', member, member],
  ['agent', own, own],
])('by id, %s reaches its own rows and no others', (kind, byId, ofNote) => {
  expect(reachOf(principals[kind])).toEqual(byId);
  expect(reachOfRecorded(principals[kind], 'a note')).toEqual(ofNote);
});

test.each<Principal['kind']>(['personal', 'session', 'agent'])(
  'a list without a note has what %s recorded, not what others did',
  (kind) => {
    expect(reachOfRecorded(principals[kind], undefined)).toEqual(ownedBy('u'));
  },
);

test('a workspace key must name the note', () => {
  expect(() => reachOfRecorded(principals.workspace, undefined)).toThrow(
    'note_id is required with a workspace key.',
  );
});

describe('space_id', () => {
  test.each<[Principal['kind'], string | undefined]>([
    ['personal', undefined],
    ['workspace', 's'],
    ['session', undefined],
    ['session', 's'],
  ])('%s may send %s', (kind, spaceId) => {
    expect(() => checkSpaceId(principals[kind], spaceId)).not.toThrow();
  });

  test.each<[Principal['kind'], string | undefined, string]>([
    ['personal', 's', 'space_id is not allowed with a personal key.'],
    ['workspace', undefined, 'space_id is required with a workspace key.'],
  ])('%s may not send %s', (kind, spaceId, message) => {
    expect(() => checkSpaceId(principals[kind], spaceId)).toThrow(message);
  });
});
