import { z } from 'zod';
import { id, timestamp } from './fields.ts';
import { memberRole } from './member.ts';
import { workspacePolicy } from './policy.ts';
import { workspace } from './workspace.ts';

/** An address that is asked to join a workspace, as its admins see it. */
export const invitation = z.object({
  id,
  email: z.string(),
  role: memberRole.describe('Counts for who is not a member yet.'),
  managed: z.boolean().describe('Whether accepting lets the workspace manage the person.'),
  invited_by: z.string().describe('The user id of who sent it last.'),
  created_at: timestamp,
  expires_at: timestamp,
});
export type Invitation = z.infer<typeof invitation>;

export interface StoredInvitation extends Invitation {
  workspace_id: string;
  token_hash: string;
}

/** The same, as the person sees it whom it is for. */
export const receivedInvitation = invitation
  .pick({ email: true, role: true, managed: true, expires_at: true })
  .extend({
    workspace: workspace.pick({ id: true, name: true }),
    inviter_name: z.string().nullable().describe('Null when their account is gone.'),
    policy: workspacePolicy.describe('What the workspace turns off now for the members it manages.'),
  });
export type ReceivedInvitation = z.infer<typeof receivedInvitation>;

export type InvitationDraft = Pick<Invitation, 'email' | 'role' | 'managed'>;

export const invitationLifetimeMs = 14 * 86_400_000;
/** Each is a mail to somebody who did not ask for it. */
export const maxInvitationsPerInviterAndHour = 50;
export const maxInvitationsPerAddressAndHour = 5;
