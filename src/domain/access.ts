import { AppError, forbidden } from './errors.ts';
import { type PlanName, type Plans, planNames } from './plans.ts';
import type { Policy } from './policy.ts';
import type { Principal } from './principal.ts';
import type { PersonalScope, WorkspaceScope } from './scopes.ts';

/** Who may call a route, as data on the route. One hook enforces it, OpenAPI shows it, and one test checks every route. */
export type Access =
  | { readonly credential: 'none' }
  /** Any key, or a session. */
  | { readonly credential: 'any key' }
  | (Personal & {
      readonly credential: 'key';
      /** The scope that a personal key needs. Without it, personal keys and sessions are refused. */
      readonly personal?: PersonalScope;
      /** The scope that a workspace key needs. Without it, workspace keys are refused. */
      readonly workspace?: WorkspaceScope | 'any content scope';
      /** What the caller's plan must include. */
      readonly plan?: 'transcription';
      /** The policy with which a workspace can turn this route off for its managed members. */
      readonly policy?: Policy;
    })
  | (Personal & { readonly credential: 'session' })
  /** A session of an account with the right of an operator. That right opens these routes and nothing else. */
  | { readonly credential: 'operator' }
  | (Personal & { readonly credential: 'session or agent' });

interface Personal {
  /** Not with the session of an app password, which may be in many programs: it must not make ways in that outlive it. */
  readonly personally?: true;
}

/** For all routes whose audio is transcribed. */
export const transcribeAccess: Access = {
  credential: 'key',
  personal: 'transcriptions:write',
  plan: 'transcription',
  policy: 'cloud transcription',
};

/** For the few routes that need no credential. */
export const anyone: Access = { credential: 'none' };

/** For ways to sign in, for who may do what, and for audit logs: not with the session of an app password. */
export const personally: Access = { credential: 'session', personally: true };

const credentialName: Record<Principal['kind'], string> = {
  personal: 'a personal key',
  workspace: 'a workspace key',
  session: 'a signed-in session',
  agent: 'an agent token',
};

/** On all other routes an agent token counts as no credential (401). */
export const recognises = (access: Access, principal: Principal) =>
  principal.kind !== 'agent' || access.credential === 'session or agent';

/** Null if the principal may call the route. Otherwise a 403 that says what is wrong: kind, scope, plan or policy. */
export function refusal(access: Access, principal: Principal, plans: Plans): AppError | null {
  switch (access.credential) {
    case 'none':
    case 'any key':
      return null;
    case 'session':
      return principal.kind === 'session'
        ? appPasswordRefusal(access, principal)
        : wrongKind('a signed-in session', principal);
    case 'operator':
      if (principal.kind !== 'session') return wrongKind('a signed-in session', principal);
      return principal.isOperator ? null : forbidden('This call is for operators of the server.');
    case 'session or agent':
      return principal.kind === 'session' || principal.kind === 'agent'
        ? appPasswordRefusal(access, principal)
        : wrongKind('a signed-in session or an agent token', principal);
    case 'key':
      return keyRefusal(access, principal, plans) ?? appPasswordRefusal(access, principal);
  }
}

const appPasswordRefusal = ({ personally }: Personal, principal: Principal) =>
  personally && principal.kind === 'session' && principal.byAppPassword
    ? forbidden('An app password is not enough for this; sign in to the console.')
    : null;

type KeyAccess = Access & { readonly credential: 'key' };

function keyRefusal(access: KeyAccess, principal: Principal, plans: Plans): AppError | null {
  const needed = principal.kind === 'workspace' ? access.workspace : access.personal;
  if (needed === undefined)
    return wrongKind(principal.kind === 'workspace' ? 'a personal key' : 'a workspace key', principal);
  const granted =
    needed === 'any content scope' ? principal.scopes.length > 0 : principal.scopes.includes(needed);
  if (!granted) return forbidden(`This key lacks the scope ${needed}; use a key that has it.`);
  if (access.plan !== undefined && !plans[principal.plan][access.plan])
    return planRequired(access.plan, principal.plan, plans);
  if (access.policy !== undefined && principal.blockedBy.includes(access.policy))
    return forbidden(`Your workspace's policy turns off ${access.policy}; ask one of its admins.`);
  return null;
}

function planRequired(feature: 'transcription', plan: PlanName, plans: Plans): AppError {
  const including = planNames.filter((name) => plans[name][feature]).join(' or ');
  const remedy = including === '' ? 'no plan on this server does' : `change to ${including}`;
  return new AppError('plan_required', `The plan ${plan} does not include ${feature}; ${remedy}.`);
}

const wrongKind = (needed: string, { kind }: Principal) =>
  forbidden(`This call needs ${needed}, but you sent ${credentialName[kind]}.`);
