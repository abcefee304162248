/** An example call for a new key: the first of these that its scopes allow. */
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
