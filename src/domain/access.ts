import { AppError } from './errors.ts';
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
    };

/** Null when the principal may pass; otherwise the 403 that says what is missing. */
export function refusal(access: Access, principal: Principal): AppError | null {
  if (access.credential !== 'key') return null;
  const needed = access[principal.kind];
  if (needed === undefined) {
    const other = principal.kind === 'personal' ? 'workspace' : 'personal';
    return new AppError('forbidden', `This route needs a ${other} key; this is a ${principal.kind} key.`);
  }
  const granted =
    needed === 'any content scope' ? principal.scopes.length > 0 : principal.scopes.includes(needed);
  return granted ? null : new AppError('forbidden', `This key lacks the scope ${needed}.`);
}
