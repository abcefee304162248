export const personalScopes = [
  'notes:read',
  'notes:write',
  'transcriptions:read',
  'transcriptions:write',
  'transcriptions:delete',
  'usage:read',
  'dictionary:read',
  'dictionary:write',
  'snippets:read',
  'snippets:write',
] as const;

/** Of this server alone. No key has one unless it was named: not by default, not with "all". */
const extensionScopes = ['llm:use'] as const;

/** What a personal key may be given. */
export const chosenScopes = [...personalScopes, ...extensionScopes] as const;

export const workspaceScopes = [
  'workspace:notes:read',
  'workspace:notes:write',
  'workspace:folders:read',
  'workspace:folders:write',
  'workspace:transcriptions:read',
] as const;

export const workspaceWildcard = 'workspace:*';

export type PersonalScope = (typeof chosenScopes)[number];
export type WorkspaceScope = (typeof workspaceScopes)[number];
export type Scope = PersonalScope | WorkspaceScope;

/** What a personal key gets if no scopes are named. */
export const defaultPersonalScopes: readonly PersonalScope[] = [
  'notes:read',
  'notes:write',
  'transcriptions:read',
  'usage:read',
];

/** The scopes of a key with the wildcard expanded, in the order of the lists above. */
export function expandScopes(granted: readonly string[]): Scope[] {
  const wildcard = granted.includes(workspaceWildcard);
  const all: readonly Scope[] = [...chosenScopes, ...workspaceScopes];
  return all.filter((scope) => granted.includes(scope) || (wildcard && scope.startsWith('workspace:')));
}
