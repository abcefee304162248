import { AppError, notFound } from '../domain/errors.ts';
import type { Member, MemberChanges, MemberRole } from '../domain/member.ts';
import type { Clock } from '../ports/clock.ts';
import type { Store } from '../ports/store.ts';

export type Members = ReturnType<typeof createMembers>;

/** Who is in a workspace. Whether the asker may do this is for the caller to say: an admin by session, the operator by CLI. */
export function createMembers({ store, clock }: { store: Store; clock: Clock }) {
  async function get(workspaceId: string, userId: string): Promise<Member> {
    const members = await store.workspaces.listMembers(workspaceId);
    const member = members.find(({ user_id }) => user_id === userId);
    if (!member) throw notFound('Member');
    return member;
  }

  async function write(workspaceId: string, userId: string, changes: MemberChanges | null): Promise<void> {
    const outcome = await store.workspaces.changeMember(workspaceId, userId, changes);
    if (outcome === 'not found') throw notFound('Member');
    if (outcome === 'last admin')
      throw new AppError(
        'conflict',
        'This is the last admin of the workspace; make someone else admin first.',
      );
  }

  return {
    list: (workspaceId: string): Promise<Member[]> => store.workspaces.listMembers(workspaceId),

    /** Both must exist. Raises `conflict` for a member. */
    async add(workspaceId: string, userId: string, role: MemberRole): Promise<Member> {
      const outcome = await store.workspaces.addMember({
        workspace_id: workspaceId,
        user_id: userId,
        role,
        created_at: new Date(clock()).toISOString(),
      });
      if (outcome === 'conflict')
        throw new AppError('conflict', 'This person is a member of the workspace already.');
      return get(workspaceId, userId);
    },

    /** Only the given fields change. Raises `not_found`, and `conflict` when no admin would be left. */
    async change(workspaceId: string, userId: string, changes: MemberChanges): Promise<Member> {
      await write(workspaceId, userId, changes);
      return get(workspaceId, userId);
    },

    /** Raises `not_found`, and `conflict` when no admin would be left. */
    remove: (workspaceId: string, userId: string): Promise<void> => write(workspaceId, userId, null),
  };
}
