import type { Authority } from '../domain/authority.ts';
import { parseEmail } from '../domain/email.ts';
import { AppError, notFound } from '../domain/errors.ts';
import type { Member, MemberChanges, MemberRole } from '../domain/member.ts';
import type { Clock } from '../ports/clock.ts';
import type { Store } from '../ports/store.ts';
import { requireRole } from './roles.ts';

export type Members = ReturnType<typeof createMembers>;

/** Members may read, admins may change. Every function raises what `requireRole` raises. */
export function createMembers({ store, clock }: { store: Store; clock: Clock }) {
  async function get(workspaceId: string, userId: string): Promise<Member> {
    const members = await store.members.list(workspaceId);
    const member = members.find(({ user_id }) => user_id === userId);
    if (!member) throw notFound('Member');
    return member;
  }

  async function write(workspaceId: string, userId: string, changes: MemberChanges | null): Promise<void> {
    const outcome = await store.members.change(workspaceId, userId, changes);
    if (outcome === 'not found') throw notFound('Member');
    if (outcome === 'last admin')
      throw new AppError(
        'conflict',
        'This is the last admin of the workspace; make someone else an admin first.',
      );
  }

  return {
    async list(authority: Authority, workspaceId: string): Promise<Member[]> {
      await requireRole(store, authority, workspaceId, 'member');
      return store.members.list(workspaceId);
    },

    /** Raises `validation_error` for a bad address, `not_found` if it has no account, `conflict` for a member. */
    async add(
      authority: Authority,
      workspaceId: string,
      draft: ({ email: string } | { user_id: string }) & { role: MemberRole },
    ): Promise<Member> {
      await requireRole(store, authority, workspaceId, 'admin');
      const user = await store.users.find('email' in draft ? parseEmail(draft.email) : draft.user_id);
      if (!user) throw notFound('User');
      const outcome = await store.members.add(workspaceId, {
        user_id: user.id,
        role: draft.role,
        managed: false,
        created_at: new Date(clock()).toISOString(),
      });
      if (outcome === 'conflict')
        throw new AppError('conflict', 'This person is already a member of the workspace.');
      return get(workspaceId, user.id);
    },

    /** Raises `not_found`, and `conflict` if no admin would be left. */
    async update(
      authority: Authority,
      workspaceId: string,
      userId: string,
      changes: MemberChanges,
    ): Promise<Member> {
      await requireRole(store, authority, workspaceId, 'admin');
      await write(workspaceId, userId, changes);
      return get(workspaceId, userId);
    },

    /** Members may remove themselves. Raises `not_found`, and `conflict` if no admin would be left. */
    async remove(authority: Authority, workspaceId: string, userId: string): Promise<void> {
      // People are added without being asked, so everybody may leave.
      const leaves = authority.kind !== 'operator' && authority.userId === userId;
      await requireRole(store, authority, workspaceId, leaves ? 'member' : 'admin');
      await write(workspaceId, userId, null);
    },
  };
}
