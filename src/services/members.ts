import { AppError, notFound } from '../domain/errors.ts';
import type { Member, MemberChanges, MemberRole } from '../domain/member.ts';
import type { Authority } from '../domain/principal.ts';
import type { Clock } from '../ports/clock.ts';
import type { Store } from '../ports/store.ts';
import { requireOperator, requireRole } from './roles.ts';

export type Members = ReturnType<typeof createMembers>;

/** Members may read, admins may change. Every function raises what `requireRole` raises. */
export function createMembers({ store, clock }: { store: Store; clock: Clock }) {
  const now = () => new Date(clock()).toISOString();

  async function get(workspaceId: string, userId: string): Promise<Member> {
    const members = await store.members.list(workspaceId, now());
    const member = members.find(({ user_id }) => user_id === userId);
    if (!member) throw notFound('Member');
    return member;
  }

  return {
    async list(authority: Authority, workspaceId: string): Promise<Member[]> {
      await requireRole(store, authority, workspaceId, 'member');
      return store.members.list(workspaceId, now());
    },

    /** For the operator; admins send invitations. Raises `not_found` for an unknown user, `conflict` for a member. */
    async add(
      authority: Authority,
      workspaceId: string,
      draft: { user_id: string; role: MemberRole },
    ): Promise<Member> {
      requireOperator(authority);
      await requireRole(store, authority, workspaceId, 'admin');
      const user = await store.users.find(draft.user_id);
      if (!user) throw notFound('User');
      const outcome = await store.members.add(workspaceId, {
        user_id: user.id,
        role: draft.role,
        managed: false,
        created_at: now(),
      });
      if (outcome === 'conflict')
        throw new AppError('conflict', 'This person is already a member of the workspace.');
      return get(workspaceId, user.id);
    },

    /**
     * Changes the given fields. Raises `not_found`, `conflict` if no admin would be left, and `forbidden` if an admin tries to
     * manage someone else: that person must accept an invitation.
     */
    async update(
      authority: Authority,
      workspaceId: string,
      userId: string,
      changes: MemberChanges,
    ): Promise<Member> {
      await requireRole(store, authority, workspaceId, 'admin');
      const mayManage = authority.kind === 'operator' || authority.userId === userId;
      refuse(await store.members.change(workspaceId, userId, changes, mayManage));
      return get(workspaceId, userId);
    },

    /**
     * Members may remove themselves, but only admins may revoke the workspace keys that the person created. Raises
     * `not_found`, and `conflict` if no admin would be left.
     */
    async remove(
      authority: Authority,
      workspaceId: string,
      userId: string,
      { revokeKeys }: { revokeKeys: boolean },
    ): Promise<void> {
      const leaves = authority.kind !== 'operator' && authority.userId === userId;
      await requireRole(store, authority, workspaceId, leaves && !revokeKeys ? 'member' : 'admin');
      refuse(await store.members.remove(workspaceId, userId, revokeKeys ? now() : null));
    },
  };
}

function refuse(outcome: 'ok' | 'not found' | 'last admin' | 'not agreed'): void {
  switch (outcome) {
    case 'ok':
      return;
    case 'not found':
      throw notFound('Member');
    case 'last admin':
      throw new AppError(
        'conflict',
        'This is the last admin of the workspace; make someone else an admin first.',
      );
    case 'not agreed':
      throw new AppError(
        'forbidden',
        'A person must agree to be managed; send them an invitation with "managed".',
      );
  }
}
