import { randomUUID } from 'node:crypto';
import { personalScopes } from '../../src/domain/scopes.ts';
import type { TestSteno } from './steno.ts';

export type Member = Awaited<ReturnType<typeof joinTeam>>;

/** A person with a session and a personal key who accepted the invitation of a workspace. */
export async function joinTeam(
  steno: TestSteno,
  { admin, workspaceId, role = 'member' }: { admin: string; workspaceId: string; role?: string },
) {
  const email = `${randomUUID()}@example.org`;
  const user = await steno.users.add({ name: 'Bob', email, plan: 'business' });
  const { token } = await steno.signIn(user);
  const draft = { name: 'test', scopes: [...personalScopes, 'llm:use'] };
  const { key } = (await steno.call('POST', '/keys/create', { key: token, body: draft })).body.data;
  const invited = await steno.call('POST', `/api/workspaces/${workspaceId}/invitations`, {
    key: admin,
    body: { email, role },
  });
  const invitation = String(invited.body.data.link).split('/').at(-1);
  await steno.call('POST', `/api/invitations/${invitation}/accept`, { key: token });
  return { id: user.id, email, token, key };
}
