import { allowsSignUp, type SignUpRule } from './email.ts';
import type { MemberRole } from './member.ts';
import type { PlanName } from './plans.ts';

/** By how much the provider's clock may differ from ours. */
export const clockToleranceSeconds = 60;

/** What the operator says about the members of the provider's groups. */
export interface GroupRules {
  /** Who may come in. If empty, groups do not decide. */
  readonly groups: readonly string[];
  /** A person has the plan of the first group of this list that they are in. */
  readonly plans: readonly { readonly group: string; readonly plan: PlanName }[];
  readonly operators: readonly string[];
  readonly workspaces: readonly {
    readonly group: string;
    readonly workspaceId: string;
    readonly role: MemberRole;
  }[];
}

/** What the provider says about a person. */
export interface ProvidedIdentity {
  readonly issuer: string;
  /** The provider's name for the account, which never changes. */
  readonly subject: string;
  /** Null unless the provider says that it verified the address. */
  readonly email: string | null;
  readonly name: string;
  readonly groups: readonly string[];
}

/** What a person has because of their groups. Leaving a group takes away what that group gave, and nothing else. */
export interface Grants {
  plan: PlanName | null;
  operator: boolean;
  workspaces: { id: string; role: MemberRole }[];
}

export const noGrants: Grants = { plan: null, operator: false, workspaces: [] };

export function grantsOf(rules: GroupRules, groups: readonly string[]): Grants {
  const isIn = (group: string) => groups.includes(group);
  const roles = new Map<string, MemberRole>();
  for (const { group, workspaceId, role } of rules.workspaces)
    if (isIn(group) && roles.get(workspaceId) !== 'admin') roles.set(workspaceId, role);
  return {
    plan: rules.plans.find(({ group }) => isIn(group))?.plan ?? null,
    operator: rules.operators.some(isIn),
    workspaces: [...roles].map(([id, role]) => ({ id, role })),
  };
}

/**
 * Whether a person may sign in. If groups are named, they alone decide. Otherwise people with an account may, and the rule for
 * sign-up decides who may make one. An invitation always lets its address in, also later.
 */
export function maySignIn(
  { groups: allowed }: Pick<GroupRules, 'groups'>,
  signUp: SignUpRule,
  identity: Pick<ProvidedIdentity, 'email' | 'groups'>,
  known: { hasAccount: boolean; isInvited: boolean },
): boolean {
  if (known.isInvited) return true;
  if (allowed.length > 0) return identity.groups.some((group) => allowed.includes(group));
  return known.hasAccount || (identity.email !== null && allowsSignUp(signUp, identity.email));
}
