import { describe, expect, test } from 'vitest';
import { type Access, anyone, recognises, refusal } from '../../src/domain/access.ts';
import { defaultPlans, type PlanName, type Plans } from '../../src/domain/plans.ts';
import type { Policy } from '../../src/domain/policy.ts';
import type { PersonalKeyPrincipal, Principal } from '../../src/domain/principal.ts';

const transcribe: Access = {
  credential: 'key',
  personal: 'transcriptions:write',
  plan: 'transcription',
  policy: 'cloud transcription',
};
const person = (plan: PlanName, blockedBy: Policy[] = []): PersonalKeyPrincipal => ({
  kind: 'personal',
  userId: 'u',
  plan,
  scopes: ['transcriptions:write'],
  blockedBy,
  expiresAt: null,
  allowedAddresses: null,
  limitKey: 'k',
  key: { id: 'k', name: 'key' },
});
const without = (...names: PlanName[]): Plans => {
  const plans = { ...defaultPlans };
  for (const name of names) plans[name] = { ...plans[name], transcription: false };
  return plans;
};

describe('a route that needs a plan and obeys a policy', () => {
  test.each<PlanName>(['pro', 'business'])('is open on the plan %s', (plan) => {
    expect(refusal(transcribe, person(plan), defaultPlans)).toBeNull();
  });

  test.each<[string, PlanName, Plans, string]>([
    [
      'free',
      'free',
      defaultPlans,
      'The plan free does not include transcription; change to pro or business.',
    ],
    [
      'pro, when the operator has taken it out',
      'pro',
      without('pro'),
      'The plan pro does not include transcription; change to business.',
    ],
    [
      'every plan, when no plan has it',
      'business',
      without('pro', 'business'),
      'The plan business does not include transcription; no plan on this server does.',
    ],
  ])('is plan_required on %s', (_, plan, plans, message) => {
    expect(refusal(transcribe, person(plan), plans)).toMatchObject({ code: 'plan_required', message });
  });

  test('is open on free when the operator includes it there', () => {
    const plans = { ...defaultPlans, free: { ...defaultPlans.free, transcription: true } };
    expect(refusal(transcribe, person('free'), plans)).toBeNull();
  });

  test('is closed by its own policy and by no other', () => {
    expect(refusal(transcribe, person('pro', ['cloud backup']), defaultPlans)).toBeNull();
    expect(refusal(transcribe, person('pro', ['cloud transcription']), defaultPlans)).toMatchObject({
      code: 'forbidden',
      message: "Your workspace's policy turns off cloud transcription; ask one of its admins.",
    });
  });

  test('says scope before plan, and plan before policy', () => {
    const blocked = person('free', ['cloud transcription']);
    expect(refusal(transcribe, { ...blocked, scopes: [] }, defaultPlans)?.message).toContain('scope');
    expect(refusal(transcribe, blocked, defaultPlans)?.code).toBe('plan_required');
  });
});

describe('the kind of credential', () => {
  const { kind: _, key, ...caller } = person('business');
  const principals = {
    personal: person('business'),
    workspace: { ...caller, kind: 'workspace', key, workspaceId: 'w', scopes: ['workspace:notes:read'] },
    session: { ...caller, kind: 'session', key: null, sessionId: 's', isOperator: false },
    agent: { ...caller, kind: 'agent', key: null },
  } as const satisfies Record<Principal['kind'], Principal>;
  const ofKeys: Access = {
    credential: 'key',
    personal: 'transcriptions:write',
    workspace: 'any content scope',
  };

  test.each<[string, Access, Principal['kind'][]]>([
    ['none', anyone, ['personal', 'workspace', 'session', 'agent']],
    ['any key', { credential: 'any key' }, ['personal', 'workspace', 'session', 'agent']],
    ['session', { credential: 'session' }, ['session']],
    ['operator', { credential: 'operator' }, []],
    ['session or agent', { credential: 'session or agent' }, ['session', 'agent']],
    ['key', ofKeys, ['personal', 'workspace', 'session', 'agent']],
    ['key, personal only', transcribe, ['personal', 'session', 'agent']],
    ['key, workspace only', { credential: 'key', workspace: 'workspace:notes:read' }, ['workspace']],
    ['key, another scope', { credential: 'key', workspace: 'workspace:notes:write' }, []],
  ])('%s is open to exactly these', (_, access, open) => {
    for (const [kind, principal] of Object.entries(principals)) {
      const refused = refusal(access, principal, defaultPlans);
      expect([kind, refused === null]).toEqual([kind, open.some((one) => one === kind)]);
      if (refused) expect(refused.code).toBe('forbidden');
    }
  });

  test('the right of an operator opens the routes of operators', () => {
    const session = { ...principals.session, isOperator: true };
    expect(refusal({ credential: 'operator' }, session, defaultPlans)).toBeNull();
    expect(
      refusal({ credential: 'key', workspace: 'workspace:notes:read' }, session, defaultPlans),
    ).not.toBeNull();
  });

  test('a workspace key without any scope reads no content', () => {
    const empty = { ...principals.workspace, scopes: [] };
    expect(refusal(ofKeys, empty, defaultPlans)?.message).toContain('lacks the scope any content scope');
  });

  test.each<[Access, Principal['kind'], string]>([
    [{ credential: 'session' }, 'personal', 'a signed-in session, but you sent a personal key'],
    [transcribe, 'workspace', 'a personal key, but you sent a workspace key'],
    [
      { credential: 'key', workspace: 'workspace:notes:read' },
      'personal',
      'a workspace key, but you sent a personal key',
    ],
  ])('the refusal says what is needed and what came', (access, kind, message) => {
    expect(refusal(access, principals[kind], defaultPlans)?.message).toContain(message);
  });

  test('an agent token is a credential only where agents are expected', () => {
    expect(recognises({ credential: 'session or agent' }, principals.agent)).toBe(true);
    expect(recognises({ credential: 'session' }, principals.agent)).toBe(false);
    expect(recognises({ credential: 'session' }, principals.personal)).toBe(true);
  });
});
