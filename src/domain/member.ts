import { z } from 'zod';
import { id, timestamp } from './fields.ts';

export const memberRoles = ['admin', 'member'] as const;
export const memberRole = z.enum(memberRoles);
export type MemberRole = z.infer<typeof memberRole>;

/** A person in a workspace. */
export const member = z.object({
  user_id: id,
  email: z.string().nullable(),
  name: z.string(),
  role: memberRole,
  managed: z.boolean().describe("Whether the workspace's policy applies to this person."),
  created_at: timestamp,
});
export type Member = z.infer<typeof member>;

/** What an admin may change. */
export type MemberChanges = Partial<Pick<Member, 'role' | 'managed'>>;
