import { z } from 'zod';
import { id, timestamp } from './fields.ts';
import { user } from './user.ts';

export const memberRoles = ['admin', 'member'] as const;
export const memberRole = z.enum(memberRoles);
export type MemberRole = z.infer<typeof memberRole>;

/** What the workspace knows about a member. */
export const membership = z.object({
  user_id: id,
  role: memberRole,
  managed: z.boolean().describe('Whether the policy of the workspace applies to this member.'),
  created_at: timestamp,
});
export type Membership = z.infer<typeof membership>;

/** What the account knows about a member. */
export const memberAccount = user.pick({ email: true, name: true });

export const member = membership.pick({ user_id: true }).extend({
  ...memberAccount.shape,
  ...membership.shape,
  workspace_keys: z.int().describe('How many working workspace keys they created.'),
});
export type Member = z.infer<typeof member>;

/** What an admin may change. */
export type MemberChanges = Partial<Pick<Membership, 'role' | 'managed'>>;
