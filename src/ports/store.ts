import type { z } from 'zod';
import type { KeyUses, liveKey, StoredKey } from '../domain/api-key.ts';
import type { PlanName } from '../domain/plans.ts';
import type { Policy } from '../domain/policy.ts';
import type { User } from '../domain/user.ts';
import type { AuditStore } from './audit-store.ts';
import type { IdempotencyStore } from './idempotency-store.ts';
import type {
  AgentTokenStore,
  AppPasswordStore,
  EmailCodeStore,
  IdentityStore,
  InstallationStore,
  SessionStore,
  SetupStore,
  SignInLinkStore,
} from './identity-store.ts';
import type { FolderStore, ImportStore, NoteStore } from './note-store.ts';
import type { OAuthStore } from './oauth-store.ts';
import type { PasskeyStore } from './passkeys.ts';
import type { PeopleStore } from './people-store.ts';
import type { RecordingQueue, RecordingStore } from './recording-store.ts';
import type { LeaseStore, TranscriptionStore } from './transcription-store.ts';
import type { InvitationStore, MemberStore, SpaceStore, WorkspaceStore } from './workspace-store.ts';
/**
 * Everything that the services store. Each function that writes is one transaction. When its promise resolves, the change is
 * on disk. When it rejects, nothing has changed.
 */
export interface Store {
  readonly notes: NoteStore;
  readonly folders: FolderStore;
  readonly imports: ImportStore;
  readonly keys: KeyStore;
  readonly users: UserStore;
  readonly workspaces: WorkspaceStore;
  readonly members: MemberStore;
  readonly invitations: InvitationStore;
  readonly spaces: SpaceStore;
  readonly transcriptions: TranscriptionStore;
  readonly leases: LeaseStore;
  readonly recordings: RecordingStore;
  readonly recordingQueue: RecordingQueue;
  readonly switches: SwitchStore;
  readonly sessions: SessionStore;
  readonly signInLinks: SignInLinkStore;
  readonly emailCodes: EmailCodeStore;
  readonly identities: IdentityStore;
  readonly passkeys: PasskeyStore;
  readonly appPasswords: AppPasswordStore;
  readonly oauth: OAuthStore;
  readonly agentTokens: AgentTokenStore;
  readonly audit: AuditStore;
  readonly people: PeopleStore;
  readonly idempotency: IdempotencyStore;
  readonly installation: InstallationStore;
  readonly setup: SetupStore;
  close(): Promise<void>;
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
  /** A time earlier than the stored one changes nothing. */
  touch(used: KeyUses): Promise<void>;
}

export interface UserStore {
  insert(user: User): Promise<'ok' | 'conflict'>;
  /** Stores the first account, which is an operator and may set the server up, and its key. False if there is already an account. */
  insertFirst(user: User, key: StoredKey, options: { opensSetup: boolean }): Promise<boolean>;
  list(): Promise<User[]>;
  /** By id or by e-mail address. */
  find(idOrEmail: string): Promise<User | undefined>;
  /** Changes the given fields. `conflict`: another account has the address. */
  update(id: string, changes: Partial<Omit<User, 'id'>>): Promise<'ok' | 'not found' | 'conflict'>;
  /** False if there is no such account. */
  setOperator(id: string, isOperator: boolean): Promise<boolean>;
  /** Also deletes keys, personal notes and folders. Notes in spaces belong to the space and stay. */
  remove(id: string): Promise<boolean>;
  /** Like `remove`, for an operator who removes another account. */
  removeUnlessLastOperator(id: string): Promise<'ok' | 'not found' | 'last operator'>;
  /** Like `remove`, and leaves workspaces. Those in which nobody else is are deleted too. */
  removeOwn(id: string): Promise<OwnRemoval>;
}

/** `lastAdminOf`: names of workspaces that would have members but no admin. */
export type OwnRemoval = 'ok' | 'not found' | 'last operator' | { lastAdminOf: string[] };

/** Switches of the installation. Every replica sees them. */
export interface SwitchStore {
  /** Undefined if it is off. `on_until` may have passed; null means until it is turned off. */
  get(name: string): Promise<{ on_until: string | null } | undefined>;
  turnOn(name: string, onUntil: string | null, now: string): Promise<void>;
  turnOff(name: string): Promise<void>;
}
