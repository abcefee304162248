import { z } from 'zod';
import { id, timestamp } from './fields.ts';
import { memberRole } from './member.ts';
import { workspacePolicy } from './policy.ts';
import { workspace } from './workspace.ts';

/** Asks an address to join a workspace. This is what admins see. */
export const invitation = z.object({
  id,
  email: z.string(),
  role: memberRole.describe('The role of a new member. A member keeps their role.'),
  managed: z.boolean().describe('If true, the workspace manages the person once they accept.'),
  invited_by: z.string().describe('The id of the user who sent it last.'),
  created_at: timestamp,
  expires_at: timestamp,
});
export type Invitation = z.infer<typeof invitation>;

export interface StoredInvitation extends Invitation {
  workspace_id: string;
  token_hash: string;
  /** 1 if the link went to the address by e-mail, 0 if an admin was shown it. */
  mailed: number;
}

/** What the invited person sees. */
export const receivedInvitation = invitation
  .pick({ id: true, email: true, role: true, managed: true, expires_at: true })
  .extend({
    workspace: workspace.pick({ id: true, name: true }),
    inviter_name: z.string(),
    policy: workspacePolicy.describe('What the workspace now turns off for its managed members.'),
  });
export type ReceivedInvitation = z.infer<typeof receivedInvitation>;

export const invitationLifetimeMs = 14 * 86_400_000;
/** An expired invitation stays in the list for this long, so that it can be sent again. Then the address is forgotten. */
export const expiredInvitationMs = 14 * 86_400_000;
/** Each invitation is an e-mail that its recipient did not ask for. */
export const maxInvitationsPerInviterAndHour = 50;
export const maxInvitationsPerAddressAndHour = 5;
/** A link cannot be guessed; a client that tries many is stopped all the same. */
export const maxWrongLinksPerClientAndHour = 20;
