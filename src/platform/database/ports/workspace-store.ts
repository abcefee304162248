import type { Invitation, ReceivedInvitation, StoredInvitation } from '../../../domain/invitation.ts';
import type { MemberRole } from '../../../domain/member.ts';
import type { NewSession } from '../../../domain/session.ts';
import type { User } from '../../../domain/user.ts';
import type { JoinedWorkspace, Workspace } from '../../../domain/workspace.ts';

/** Reads of the features `members` and `spaces`, for services that are no operations yet. */
export interface MemberStore {
  roleOf(workspaceId: string, userId: string): Promise<MemberRole | undefined>;
}
export interface SpaceStore {
  has(workspaceId: string, id: string): Promise<boolean>;
  isShared(userId: string, id: string): Promise<boolean>;
}
export interface WorkspaceStore {
  find(id: string): Promise<Workspace | undefined>;
  listJoined(userId: string): Promise<JoinedWorkspace[]>;
}

/** Who answers an invitation. It must be open and for the address of this account. */
export interface Recipient {
  /** The token of the link, or the id from the list of their invitations. */
  invitation: { tokenHash: string } | { id: string };
  userId: string;
  now: string;
}

export type JoinRefusal = 'not found' | 'has account' | 'needs code';

/** Somebody without an account who has the link. */
export interface Newcomer {
  tokenHash: string;
  /** Their network, for counting links that do not work. */
  client: string;
  now: number;
  /** Whether a link that an admin was shown is enough. */
  acceptsShownLinks: boolean;
  session: NewSession;
  /** The account to make for the invited address. */
  newUser(email: string): User;
}

/** `wait`: too many were sent; milliseconds until the next may be sent. */
export interface InvitationStore {
  list(workspaceId: string, now: number): Promise<Invitation[]>;
  /**
   * Replaces an earlier one for the same address, and forgets those that expired long ago. `member already`: accepting would
   * change nothing. `kept` is for a request that is sent again.
   */
  put(
    invitation: StoredInvitation,
    now: number,
    kept: object,
  ): Promise<'ok' | 'member already' | { wait: number }>;
  renew(
    workspaceId: string,
    id: string,
    changes: Pick<StoredInvitation, 'token_hash' | 'expires_at' | 'invited_by' | 'mailed'>,
    now: number,
  ): Promise<StoredInvitation | 'not found' | { wait: number }>;
  remove(workspaceId: string, id: string): Promise<boolean>;
  /** Open ones for the address of this account, the oldest first. */
  listFor(userId: string, now: string): Promise<ReceivedInvitation[]>;
  findFor(recipient: Recipient): Promise<ReceivedInvitation | undefined>;
  /** Uses the invitation up. Returns the id of the workspace. */
  accept(recipient: Recipient): Promise<string | undefined>;
  decline(recipient: Recipient): Promise<boolean>;
  /** Whether an admin invites this address. */
  isInvited(email: string, now: string): Promise<boolean>;
  /** For whoever has the link. */
  findByToken(tokenHash: string, now: string): Promise<(ReceivedInvitation & { mailed: number }) | undefined>;
  /** Uses the invitation up: makes the account, signs it in and makes it a member. `wait`: too many links did not work. */
  join(newcomer: Newcomer): Promise<{ user: User; workspaceId: string } | JoinRefusal | { wait: number }>;
}
