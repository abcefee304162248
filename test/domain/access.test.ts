import { describe, expect, test } from 'vitest';
import { type Access, refusal } from '../../src/domain/access.ts';
import { defaultPlans, type PlanName, type Plans } from '../../src/domain/plans.ts';
import type { Policy } from '../../src/domain/policy.ts';
import type { PersonalKeyPrincipal } from '../../src/domain/principal.ts';

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
