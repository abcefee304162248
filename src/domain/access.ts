import { AppError } from './errors.ts';
import { type PlanName, type Plans, planNames } from './plans.ts';
import type { Policy } from './policy.ts';
import type { Principal } from './principal.ts';
import type { PersonalScope, WorkspaceScope } from './scopes.ts';

/** Who may call a route. It stands on the route as data: one hook enforces it, OpenAPI shows it, one test loops over it. */
export type Access =
  | { readonly credential: 'none' }
  | { readonly credential: 'any key' }
  | {
      readonly credential: 'key';
      /** Scope a personal key needs; absent: personal keys are refused. */
      readonly personal?: PersonalScope;
      /** Scope a workspace key needs; absent: workspace keys are refused. */
      readonly workspace?: WorkspaceScope | 'any content scope';
      /** What the caller's plan must include. */
      readonly plan?: 'transcription';
      /** The policy by which a workspace closes this route to the members it manages. */
      readonly policy?: Policy;
    };

/** Null when the principal may pass; otherwise the 403 that says what is missing: kind, scope, plan or policy. */
export function refusal(access: Access, principal: Principal, plans: Plans): AppError | null {
  if (access.credential !== 'key') return null;
  const needed = access[principal.kind];
  if (needed === undefined) {
    const other = principal.kind === 'personal' ? 'workspace' : 'personal';
    return new AppError('forbidden', `This route needs a ${other} key; this is a ${principal.kind} key.`);
  }
  const granted =
    needed === 'any content scope' ? principal.scopes.length > 0 : principal.scopes.includes(needed);
  if (!granted) return new AppError('forbidden', `This key lacks the scope ${needed}.`);
  if (access.plan !== undefined && !plans[principal.plan][access.plan])
    return planRequired(access.plan, principal.plan, plans);
  if (access.policy !== undefined && principal.blockedBy.includes(access.policy))
    return new AppError(
      'forbidden',
      `Your organisation's policy turns off ${access.policy}; ask its administrator.`,
    );
  return null;
}

function planRequired(feature: 'transcription', plan: PlanName, plans: Plans): AppError {
  const including = planNames.filter((name) => plans[name][feature]).join(' or ');
  const remedy = including === '' ? 'no plan of this server does' : `change to ${including}`;
  return new AppError('plan_required', `The plan ${plan} does not include ${feature}; ${remedy}.`);
}
