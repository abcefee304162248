import type { z } from 'zod';
import type { KeyOwner, liveKey, StoredKey } from '../domain/api-key.ts';
import type { DictionaryEntry } from '../domain/dictionary.ts';
import type { Folder } from '../domain/folder.ts';
import type { Invitation, ReceivedInvitation, StoredInvitation } from '../domain/invitation.ts';
import type { Member, MemberChanges, MemberRole, Membership } from '../domain/member.ts';
import type { FoundNote, Note, NoteChanges, NoteWithTranscript, StoredNote } from '../domain/note.ts';
import type { OwnerFilter } from '../domain/owner.ts';
import type { PageQuery } from '../domain/page.ts';
import type { PlanName } from '../domain/plans.ts';
import type { Policy, PolicyChanges, WorkspacePolicy } from '../domain/policy.ts';
import type { SearchClause, SearchText } from '../domain/search-text.ts';
import type { Snippet, SnippetChanges } from '../domain/snippet.ts';
import type { Space, SpaceChanges, SpaceReach } from '../domain/space.ts';
import type { User } from '../domain/user.ts';
import type { JoinedWorkspace, Workspace } from '../domain/workspace.ts';
import type {
  AgentTokenStore,
  EmailCodeStore,
  InstallationStore,
  SessionStore,
  SignInLinkStore,
} from './identity-store.ts';
import type { LeaseStore, TranscriptionStore, UsageStore } from './transcription-store.ts';

/**
 * Everything the services keep. Each function that writes is one transaction: when its promise resolves the change is
 * on disk, when it rejects nothing has changed.
 */
export interface Store {
  readonly notes: NoteStore;
  readonly folders: FolderStore;
  readonly keys: KeyStore;
  readonly users: UserStore;
  readonly workspaces: WorkspaceStore;
  readonly members: MemberStore;
  readonly invitations: InvitationStore;
  readonly spaces: SpaceStore;
  readonly policies: PolicyStore;
  readonly transcriptions: TranscriptionStore;
  readonly leases: LeaseStore;
  readonly usage: UsageStore;
  readonly dictionary: DictionaryStore;
  readonly snippets: SnippetStore;
  readonly switches: SwitchStore;
  readonly sessions: SessionStore;
  readonly signInLinks: SignInLinkStore;
  readonly emailCodes: EmailCodeStore;
  readonly agentTokens: AgentTokenStore;
  readonly installation: InstallationStore;
  close(): Promise<void>;
}

export interface NoteStore {
  /**
   * Links the transcription, when one is given, in the same transaction. `unknown …`: it does not exist or is another
   * owner's. `linked already`: the transcription has a note that is not deleted.
   * Raises `invalid_api_key` when the person was removed meanwhile; folders do too.
   */
  insert(
    note: StoredNote,
    search: SearchText,
    transcriptionId?: string,
  ): Promise<'ok' | 'unknown folder' | 'unknown transcription' | 'linked already'>;
  get(filter: OwnerFilter, id: string): Promise<NoteWithTranscript | undefined>;
  list(ownerId: string, options: PageQuery & { folderId?: string | undefined }): Promise<Note[]>;
  /**
   * `analyse` runs inside the transaction, on the note as it will be. `changed since`: its `updated_at` is not the
   * expected one. `updated_at` grows with every change, also when the clock does not.
   */
  update(
    filter: OwnerFilter,
    id: string,
    changes: NoteChanges,
    now: string,
    analyse: (note: NoteWithTranscript) => SearchText,
    expectedUpdatedAt?: string,
  ): Promise<NoteWithTranscript | 'not found' | 'unknown folder' | 'changed since'>;
  softDelete(filter: OwnerFilter, id: string, now: string): Promise<boolean>;
  search(ownerId: string, clauses: SearchClause[], limit: number): Promise<FoundNote[]>;
}

export interface FolderStore {
  list(ownerId: string): Promise<Folder[]>;
  insert(
    folder: Omit<Folder, 'sort_order'> & { owner_id: string; name_key: string; sort_order: number | null },
    max: number,
  ): Promise<Folder | 'conflict' | 'limit reached'>;
}

/** A key that is not revoked, with the plan its calls are counted by. Expiry is for the caller's clock to say. */
export type LiveKey = z.infer<typeof liveKey> & {
  plan: PlanName;
  /** What the workspaces that manage the key's user turn off; nothing for a workspace key. */
  blocked_by: Policy[];
};

export interface KeyStore {
  findByHash(hash: string): Promise<LiveKey | undefined>;
  /** Changes whenever a key, a plan, a policy or an account may have changed, in this process or another. */
  epoch(): number;
  /** `max` bounds the active keys of the same user and kind. */
  insert(key: StoredKey, max: number, now: string): Promise<'ok' | 'limit reached'>;
  listActive(owner: KeyOwner, now: string): Promise<StoredKey[]>;
  /** False when there is no such key of that owner; revoking twice is true twice. */
  revoke(owner: KeyOwner, id: string, now: string): Promise<boolean>;
  /** Key id → when it was used; an earlier time than the stored one changes nothing. */
  touch(used: ReadonlyMap<string, string>): Promise<void>;
}

export interface UserStore {
  insert(user: User): Promise<'ok' | 'conflict'>;
  /** The first account and its key, together; false when there is an account already. */
  insertFirst(user: User, key: StoredKey): Promise<boolean>;
  list(): Promise<User[]>;
  /** By id or by e-mail address. */
  find(idOrEmail: string): Promise<User | undefined>;
  /** Only the given fields change. `conflict`: another account has the address. */
  update(id: string, changes: Partial<Omit<User, 'id'>>): Promise<'ok' | 'not found' | 'conflict'>;
  /** Removes the account with its keys, notes and folders. Notes in team spaces belong to the space and stay. */
  remove(id: string): Promise<boolean>;
}

export interface WorkspaceStore {
  insert(workspace: Workspace, adminId: string): Promise<void>;
  list(): Promise<Workspace[]>;
  /** Those the person is a member of. */
  listJoined(userId: string): Promise<JoinedWorkspace[]>;
  find(id: string): Promise<Workspace | undefined>;
  setPlan(id: string, plan: PlanName): Promise<boolean>;
}

export interface MemberStore {
  list(workspaceId: string, now: string): Promise<Member[]>;
  roleOf(workspaceId: string, userId: string): Promise<MemberRole | undefined>;
  /** The user id of whoever has been admin longest; undefined when there is no admin. */
  firstAdmin(workspaceId: string): Promise<string | undefined>;
  add(workspaceId: string, membership: Membership): Promise<'ok' | 'conflict'>;
  /** `last admin`: nobody would be left to run the workspace. `not agreed`: who is not managed is not `mayManage`. */
  change(
    workspaceId: string,
    userId: string,
    changes: MemberChanges,
    mayManage: boolean,
  ): Promise<'ok' | 'not found' | 'last admin' | 'not agreed'>;
  /** With `revokeKeysAt` the workspace keys that they made go with them. */
  remove(
    workspaceId: string,
    userId: string,
    revokeKeysAt: string | null,
  ): Promise<'ok' | 'not found' | 'last admin'>;
}

/** Who answers an invitation; it counts only when it is open and for the address of this account. */
export interface Recipient {
  tokenHash: string;
  userId: string;
  now: string;
}

/** `wait`: too many were sent; so many milliseconds until the next may be. */
export interface InvitationStore {
  list(workspaceId: string): Promise<Invitation[]>;
  /** Replaces the one for the same address. `member already`: accepting would change nothing. */
  put(invitation: StoredInvitation, now: number): Promise<'ok' | 'member already' | { wait: number }>;
  renew(
    workspaceId: string,
    id: string,
    changes: Pick<StoredInvitation, 'token_hash' | 'expires_at' | 'invited_by'>,
    now: number,
  ): Promise<StoredInvitation | 'not found' | { wait: number }>;
  remove(workspaceId: string, id: string): Promise<boolean>;
  findFor(recipient: Recipient): Promise<ReceivedInvitation | undefined>;
  /** Spends it. Answers the id of the workspace. */
  accept(recipient: Recipient): Promise<string | undefined>;
  decline(recipient: Recipient): Promise<boolean>;
}

/** An archived space is as good as gone: nothing here finds it. */
export interface SpaceStore {
  list(workspaceId: string): Promise<Space[]>;
  has(workspaceId: string, id: string): Promise<boolean>;
  /** A slug that is taken gets a number; the space comes back as it is stored. */
  insert(workspaceId: string, space: Space): Promise<Space>;
  /** Only the given fields change; the slug stays, so links keep working. */
  update(reach: SpaceReach, id: string, changes: SpaceChanges, now: string): Promise<Space | undefined>;
  archive(reach: SpaceReach, id: string, now: string): Promise<boolean>;
}

/** Both answer undefined when there is no such workspace. */
export interface PolicyStore {
  get(workspaceId: string): Promise<WorkspacePolicy | undefined>;
  /** Only the given fields change; the whole policy comes back. */
  update(workspaceId: string, changes: PolicyChanges): Promise<WorkspacePolicy | undefined>;
}

export interface DictionaryStore {
  list(userId: string, page: PageQuery): Promise<DictionaryEntry[]>;
  /** One entry per draft, in their order: the stored one where there is one with that key, or an earlier draft. */
  add(userId: string, drafts: (DictionaryEntry & { word_key: string })[]): Promise<DictionaryEntry[]>;
  update(
    userId: string,
    id: string,
    spelling: { word: string; word_key: string },
    now: string,
  ): Promise<DictionaryEntry | 'not found' | 'conflict'>;
  remove(userId: string, id: string): Promise<boolean>;
  /** The words used or added last, the latest first. */
  forPrompt(userId: string, limit: number): Promise<string[]>;
  markUsed(userId: string, wordKeys: string[], now: string): Promise<void>;
}

export interface SnippetStore {
  list(userId: string, page: PageQuery): Promise<Snippet[]>;
  insert(userId: string, snippet: Snippet & { trigger_key: string }): Promise<'ok' | 'conflict'>;
  update(
    userId: string,
    id: string,
    changes: SnippetChanges & { trigger_key?: string },
    now: string,
  ): Promise<Snippet | 'not found' | 'conflict'>;
  remove(userId: string, id: string): Promise<boolean>;
}

/** Switches of the installation, seen by every replica. */
export interface SwitchStore {
  /** Undefined while it is off. `on_until` may have passed; null: until it is turned off. */
  get(name: string): Promise<{ on_until: string | null } | undefined>;
  turnOn(name: string, onUntil: string | null, now: string): Promise<void>;
  turnOff(name: string): Promise<void>;
}
