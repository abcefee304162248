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

/** What a program for assistants (MCP) needs to use the key; docs/mcp.md has more of them. */
export const connections = {
  claudeCode: ({ address, key }: Connection) =>
    `claude mcp add --transport http steno ${address} --header "Authorization: Bearer ${key}"`,
  cursor: (to: Connection) => JSON.stringify({ mcpServers: { steno: serverOf(to) } }),
  vsCode: (to: Connection) => JSON.stringify({ servers: { steno: { type: 'http', ...serverOf(to) } } }),
} satisfies Record<string, (to: Connection) => string>;
export type Client = keyof typeof connections;

interface Connection {
  address: string;
  key: string;
}

const serverOf = ({ address, key }: Connection) => ({
  url: address,
  headers: { Authorization: `Bearer ${key}` },
});

export const connectionFor = (client: Client, key: string): string =>
  connections[client]({ address: `${window.location.origin}/mcp`, key });
