import type { z } from 'zod';
import type { KeyOwner, KeyUses, liveKey, StoredKey } from '../domain/api-key.ts';
import type { Change, ChangePosition } from '../domain/change.ts';
import type { DictionaryEntry } from '../domain/dictionary.ts';
import type { Folder, FolderChanges } from '../domain/folder.ts';
import type { Invitation, ReceivedInvitation, StoredInvitation } from '../domain/invitation.ts';
import type { Member, MemberChanges, MemberRole, Membership } from '../domain/member.ts';
import type {
  FoundNotes,
  Note,
  NoteChanges,
  NoteFilter,
  NoteSort,
  NoteWithTranscript,
  StoredNote,
  TrashedNote,
} from '../domain/note.ts';
import type { OwnerFilter } from '../domain/owner.ts';
import type { PageQuery } from '../domain/page.ts';
import type { PlanName } from '../domain/plans.ts';
import type { Policy, PolicyChanges, WorkspacePolicy } from '../domain/policy.ts';
import type { ListedRevision, Revision, RevisionRule } from '../domain/revision.ts';
import type { SearchText } from '../domain/search/note-text.ts';
import type { SearchQuery } from '../domain/search/query.ts';
import type { Snippet, SnippetChanges } from '../domain/snippet.ts';
import type { Space, SpaceChanges, SpaceReach } from '../domain/space.ts';
import type { Transcription } from '../domain/transcription.ts';
import type { User } from '../domain/user.ts';
import type { JoinedWorkspace, Workspace } from '../domain/workspace.ts';
import type { IdempotencyStore } from './idempotency-store.ts';
import type {
  AgentTokenStore,
  EmailCodeStore,
  InstallationStore,
  SessionStore,
  SignInLinkStore,
} from './identity-store.ts';
import type { LeaseStore, TranscriptionStore, UsageStore } from './transcription-store.ts';

/**
 * Everything that the services store. Each function that writes is one transaction. When its promise resolves, the change is
 * on disk. When it rejects, nothing has changed.
 */
export interface Store {
  readonly notes: NoteStore;
  readonly folders: FolderStore;
  readonly trash: TrashStore;
  readonly changes: ChangeStore;
  readonly revisions: RevisionStore;
  readonly imports: ImportStore;
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
  readonly idempotency: IdempotencyStore;
  readonly installation: InstallationStore;
  close(): Promise<void>;
}

export interface NoteStore {
  /**
   * `search` is null for a text that is analysed in the background; the note is stored before, and found after.
   * Links the transcription, when one is given, in the same transaction. `unknown …`: it does not exist or is another
   * owner's. `linked already`: the transcription has a note that is not deleted.
   * Raises `invalid_api_key` when the person was removed meanwhile; folders do too.
   */
  insert(
    note: StoredNote,
    search: SearchText | null,
    transcriptionId?: string,
  ): Promise<'ok' | 'unknown folder' | 'unknown transcription' | 'linked already'>;
  get(filter: OwnerFilter, id: string): Promise<NoteWithTranscript | undefined>;
  list(ownerId: string, query: NoteListQuery): Promise<Note[]>;
  /** With transcripts, newest first. */
  listWhole(ownerId: string, page: PageQuery): Promise<NoteWithTranscript[]>;
  /**
   * `analyse` runs inside the transaction, on the note as it will be. `changed since`: its `updated_at` is not the
   * expected one. `updated_at` grows with every change, also when the clock does not.
   */
  update(
    filter: OwnerFilter,
    id: string,
    changes: NoteChanges,
    now: string,
    analyse: (note: NoteWithTranscript) => SearchText | null,
    options?: { expectedUpdatedAt?: string | undefined; revisions?: RevisionRule },
  ): Promise<NoteWithTranscript | 'not found' | 'unknown folder' | 'changed since'>;
  softDelete(filter: OwnerFilter, id: string, now: string): Promise<boolean>;
  /** Best first. */
  search(ownerId: string, search: NoteSearch): Promise<FoundNotes>;
}

/** `since` and `until` are about the time that the list is ordered by. */
export interface NoteListQuery extends PageQuery, NoteFilter {
  sort?: NoteSort;
  pinnedFirst?: boolean;
}

export interface NoteSearch {
  query: SearchQuery;
  limit: number;
  filter?: NoteFilter;
  highlights?: boolean;
}

export interface FolderStore {
  list(ownerId: string): Promise<Folder[]>;
  insert(
    folder: Omit<Folder, 'sort_order'> & { owner_id: string; name_key: string; sort_order: number | null },
    max: number,
  ): Promise<Folder | 'conflict' | 'limit reached'>;
  update(
    filter: OwnerFilter,
    id: string,
    changes: FolderChanges & { name_key?: string },
    now: string,
  ): Promise<Folder | 'not found' | 'conflict'>;
  /** Its notes leave it, or go to the trash. A folder with many notes is emptied in several transactions before it goes. */
  remove(filter: OwnerFilter, id: string, how: { notes: 'keep' | 'trash'; now: string }): Promise<boolean>;
}

export type ImportedKind = 'folders' | 'notes' | 'transcriptions' | 'dictionary_words' | 'snippets';

export interface ImportStore {
  /** Undefined if nobody has such a row. Notes in the trash count. */
  ownerOf(kind: ImportedKind, id: string): Promise<string | undefined>;
  /** Costs no minutes. */
  insertTranscription(record: Transcription): Promise<void>;
}

/** Earlier texts of notes that are not in the trash. Those kept before `notBefore` are not shown. */
export interface RevisionStore {
  /** The last replaced first. Undefined if there is no such note. */
  list(filter: OwnerFilter, noteId: string, notBefore: string): Promise<ListedRevision[] | undefined>;
  get(filter: OwnerFilter, noteId: string, id: string, notBefore: string): Promise<Revision | undefined>;
  removeOlder(than: string): Promise<void>;
}

/** What was made, changed and deleted. Whatever reads it later finds what it found before, and new changes behind it. */
export interface ChangeStore {
  read(ownerId: string, after: ChangePosition, limit: number): Promise<(Change & ChangePosition)[]>;
  /** Where the owner's changes end now. */
  last(ownerId: string): Promise<ChangePosition>;
  /**
   * Begins a new timeline: cursors of the old one are refused. Without `always`, only if the database was moved to a
   * PostgreSQL server whose transactions have smaller numbers.
   */
  startOver(options: { always: boolean }): Promise<void>;
}

/** Notes that were deleted. Nothing else finds them. */
export interface TrashStore {
  /** The last deleted first. */
  list(ownerId: string, page: PageQuery): Promise<TrashedNote[]>;
  restore(
    filter: OwnerFilter,
    id: string,
    now: string,
    analyse: (note: NoteWithTranscript) => SearchText | null,
  ): Promise<Note | undefined>;
  /** For good: the note, its transcript and the transcription that it was made from. */
  purge(filter: OwnerFilter, id: string): Promise<boolean>;
  empty(ownerId: string): Promise<void>;
  /** Everybody's, deleted before this time. */
  purgeOlder(than: string): Promise<void>;
}

/** A key that is not revoked, with the plan that limits its calls. The caller checks whether it has expired. */
export type LiveKey = z.infer<typeof liveKey> & {
  plan: PlanName;
  /** What the workspaces that manage the user turn off; empty for a workspace key. */
  blocked_by: Policy[];
};

export interface KeyStore {
  findByHash(hash: string): Promise<LiveKey | undefined>;
  /** Changes when a key, plan, policy or account may have changed, in this process or another. */
  epoch(): number;
  /** `max` limits the active keys of the same user and kind. */
  insert(key: StoredKey, max: number, now: string): Promise<'ok' | 'limit reached'>;
  listActive(owner: KeyOwner, now: string): Promise<StoredKey[]>;
  /** False if the owner has no such key. True even for a revoked key. */
  revoke(owner: KeyOwner, id: string, now: string): Promise<boolean>;
  /**
   * Gives the key another secret. The one from before works until `oldExpiresAt`, an even older one no longer. Undefined if
   * the owner has no such key, or if it is revoked or expired.
   */
  rotate(
    owner: KeyOwner,
    id: string,
    secret: Pick<StoredKey, 'key_hash' | 'key_prefix'>,
    times: { now: string; oldExpiresAt: string },
  ): Promise<StoredKey | undefined>;
  /** A time that is earlier than the stored one changes nothing. */
  touch(used: KeyUses): Promise<void>;
}

export interface UserStore {
  insert(user: User): Promise<'ok' | 'conflict'>;
  /** Stores the first account and its key. False if there is already an account. */
  insertFirst(user: User, key: StoredKey): Promise<boolean>;
  list(): Promise<User[]>;
  /** By id or by e-mail address. */
  find(idOrEmail: string): Promise<User | undefined>;
  /** Changes the given fields. `conflict`: another account has the address. */
  update(id: string, changes: Partial<Omit<User, 'id'>>): Promise<'ok' | 'not found' | 'conflict'>;
  /** Also deletes keys, personal notes and folders. Notes in spaces belong to the space and stay. */
  remove(id: string): Promise<boolean>;
}

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
  tokenHash: string;
  userId: string;
  now: string;
}

/** `wait`: too many were sent; the milliseconds until the next may be sent. */
export interface InvitationStore {
  list(workspaceId: string, now: number): Promise<Invitation[]>;
  /**
   * Replaces an earlier one for the same address, and forgets those that expired long ago. `member already`: accepting would
   * change nothing. `whenStored` runs once it is committed, which may be after this has returned.
   */
  put(
    invitation: StoredInvitation,
    now: number,
    whenStored: () => void,
  ): Promise<'ok' | 'member already' | { wait: number }>;
  renew(
    workspaceId: string,
    id: string,
    changes: Pick<StoredInvitation, 'token_hash' | 'expires_at' | 'invited_by'>,
    now: number,
  ): Promise<StoredInvitation | 'not found' | { wait: number }>;
  remove(workspaceId: string, id: string): Promise<boolean>;
  findFor(recipient: Recipient): Promise<ReceivedInvitation | undefined>;
  /** Uses the invitation up. Returns the id of the workspace. */
  accept(recipient: Recipient): Promise<string | undefined>;
  decline(recipient: Recipient): Promise<boolean>;
}

/** Nothing here finds an archived space. */
export interface SpaceStore {
  list(workspaceId: string): Promise<Space[]>;
  has(workspaceId: string, id: string): Promise<boolean>;
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

export interface DictionaryStore {
  list(userId: string, page: PageQuery): Promise<DictionaryEntry[]>;
  /** Returns one entry per draft, in their order: the stored one if there is one with that key, or an earlier draft. */
  add(userId: string, drafts: (DictionaryEntry & { word_key: string })[]): Promise<DictionaryEntry[]>;
  update(
    userId: string,
    id: string,
    spelling: { word: string; word_key: string },
    now: string,
  ): Promise<DictionaryEntry | 'not found' | 'conflict'>;
  remove(userId: string, id: string): Promise<boolean>;
  /** The most recently used or added words first. */
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

/** Switches of the installation. Every replica sees them. */
export interface SwitchStore {
  /** Undefined if it is off. `on_until` may have passed; null means until it is turned off. */
  get(name: string): Promise<{ on_until: string | null } | undefined>;
  turnOn(name: string, onUntil: string | null, now: string): Promise<void>;
  turnOff(name: string): Promise<void>;
}
