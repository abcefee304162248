import type { Invitation, ReceivedInvitation, StoredInvitation } from '../domain/invitation.ts';
import type { Member, MemberChanges, MemberRole, Membership } from '../domain/member.ts';
import type { PlanName } from '../domain/plans.ts';
import type { PolicyChanges, WorkspacePolicy } from '../domain/policy.ts';
import type { NewSession } from '../domain/session.ts';
import type { Space, SpaceChanges, SpaceReach } from '../domain/space.ts';
import type { User } from '../domain/user.ts';
import type { JoinedWorkspace, Workspace } from '../domain/workspace.ts';

export interface WorkspaceStore {
  insert(workspace: Workspace, adminId: string): Promise<void>;
  list(): Promise<Workspace[]>;
  /** The workspaces of a member. */
  listJoined(userId: string): Promise<JoinedWorkspace[]>;
  find(id: string): Promise<Workspace | undefined>;
  setPlan(id: string, plan: PlanName): Promise<boolean>;
}

export interface MemberStore {
  list(workspaceId: string, now: string): Promise<Member[]>;
  roleOf(workspaceId: string, userId: string): Promise<MemberRole | undefined>;
  /** The id of the user who has been an admin for longest; undefined if there is no admin. */
  firstAdmin(workspaceId: string): Promise<string | undefined>;
  add(workspaceId: string, membership: Membership): Promise<'ok' | 'conflict'>;
  /** `last admin`: no admin would be left. `not agreed`: the change starts managing without `mayManage`. */
  change(
    workspaceId: string,
    userId: string,
    changes: MemberChanges,
    mayManage: boolean,
  ): Promise<'ok' | 'not found' | 'last admin' | 'not agreed'>;
  /** With `revokeKeysAt`, also revokes the workspace keys that they created. */
  remove(
    workspaceId: string,
    userId: string,
    revokeKeysAt: string | null,
  ): Promise<'ok' | 'not found' | 'last admin'>;
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

/** Nothing here finds an archived space. */
export interface SpaceStore {
  list(workspaceId: string): Promise<Space[]>;
  has(workspaceId: string, id: string): Promise<boolean>;
  /** Whether it is in a workspace that the user is a member of. */
  isShared(userId: string, id: string): Promise<boolean>;
  /** If the slug is taken, it gets a number. Returns the space as stored. */
  insert(workspaceId: string, space: Space): Promise<Space>;
  /** Changes the given fields. The slug never changes, so links keep working. */
  update(reach: SpaceReach, id: string, changes: SpaceChanges, now: string): Promise<Space | undefined>;
  archive(reach: SpaceReach, id: string, now: string): Promise<boolean>;
}

/** Both return undefined if there is no such workspace. */
export interface PolicyStore {
  get(workspaceId: string): Promise<WorkspacePolicy | undefined>;
  /** Changes the given fields and returns the whole policy. */
  update(workspaceId: string, changes: PolicyChanges): Promise<WorkspacePolicy | undefined>;
}
