/** In the order they are shown. */
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

export const workspaceScopes = [
  'workspace:notes:read',
  'workspace:notes:write',
  'workspace:folders:read',
  'workspace:folders:write',
  'workspace:transcriptions:read',
  'workspace:*',
] as const;

export type PersonalScope = (typeof personalScopes)[number];
export type WorkspaceScope = (typeof workspaceScopes)[number];

export const usualPersonalScopes: readonly PersonalScope[] = [
  'notes:read',
  'notes:write',
  'transcriptions:read',
  'usage:read',
];

/** The first call a new key can make: the one that shows most of what it opens. */
const firstCalls: [scope: string, path: string][] = [
  ['notes:read', '/notes/list'],
  ['transcriptions:read', '/transcriptions/list'],
  ['usage:read', '/usage'],
  ['dictionary:read', '/dictionary/list'],
  ['snippets:read', '/snippets/list'],
];

export function curlFor({ key, scopes }: { key: string; scopes: readonly string[] }): string {
  const isWorkspaceKey = scopes.some((scope) => scope.startsWith('workspace:'));
  const path = isWorkspaceKey ? '/spaces/list' : firstCalls.find(([scope]) => scopes.includes(scope))?.[1];
  return `curl -H "Authorization: Bearer ${key}" ${window.location.origin}/api/v1${path ?? '/me'}`;
}
