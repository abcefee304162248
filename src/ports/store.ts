import type { KeyKind, StoredApiKey } from '../domain/api-key.ts';
import type { Folder } from '../domain/folder.ts';
import type { FoundNote, Note, NoteWithTranscript } from '../domain/note.ts';
import type { OwnerFilter } from '../domain/owner.ts';
import type { Position } from '../domain/page.ts';
import type { PlanName } from '../domain/plans.ts';
import type { SearchClause, SearchText } from '../domain/search-text.ts';
import type { Space, Workspace } from '../domain/space.ts';
import type { User } from '../domain/user.ts';

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
  /** Rejects when the database does not answer. */
  ping(): Promise<void>;
  close(): Promise<void>;
}

/** What is stored of a note besides what the wire shows. */
export interface NewNote extends NoteWithTranscript {
  owner_id: string;
  space_id: string | null;
}

export interface NoteChanges {
  title?: string | null;
  content?: string;
  enhanced_content?: string | null;
  folder_id?: string | null;
}

export interface NoteStore {
  /** `unknown folder`: the folder does not exist or is another owner's. */
  insert(note: NewNote, search: SearchText): Promise<'ok' | 'unknown folder'>;
  get(filter: OwnerFilter, id: string): Promise<NoteWithTranscript | undefined>;
  list(
    ownerId: string,
    options: { limit: number; after?: Position | undefined; folderId?: string | undefined },
  ): Promise<Note[]>;
  /** `analyse` runs inside the transaction, on the note as it will be. */
  update(
    filter: OwnerFilter,
    id: string,
    changes: NoteChanges,
    now: string,
    analyse: (note: NoteWithTranscript) => SearchText,
  ): Promise<NoteWithTranscript | 'not found' | 'unknown folder'>;
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

/** A key that is neither revoked nor expired, with the plan its calls are counted by. */
export interface LiveKey {
  id: string;
  kind: KeyKind;
  name: string;
  user_id: string;
  workspace_id: string | null;
  scopes: string[];
  expires_at: string | null;
  plan: PlanName;
}

export interface KeyStore {
  findByHash(hash: string): Promise<LiveKey | undefined>;
  /** Changes whenever a key, a plan or an account may have changed, in this process or another. */
  epoch(): number;
  /** `max` bounds the active keys of the same user and kind. */
  insert(key: StoredApiKey, max: number, now: string): Promise<'ok' | 'limit reached'>;
  listActive(owner: KeyOwner, now: string): Promise<StoredApiKey[]>;
  /** False when there is no such key of that owner; revoking twice is true twice. */
  revoke(owner: KeyOwner, id: string, now: string): Promise<boolean>;
  touch(used: ReadonlyMap<string, string>): Promise<void>;
}

export type KeyOwner =
  | { readonly userId: string }
  | { readonly workspaceId: string }
  | { readonly anyone: true };

export interface UserStore {
  insert(user: User): Promise<'ok' | 'conflict'>;
  /** The first account and its key, together; false when there is an account already. */
  insertFirst(user: User, key: StoredApiKey): Promise<boolean>;
  list(): Promise<User[]>;
  /** By id or by e-mail address. */
  find(idOrEmail: string): Promise<User | undefined>;
  setPlan(id: string, plan: PlanName): Promise<boolean>;
  /** Removes the account with its keys, notes and folders. Notes in team spaces belong to the space and stay. */
  remove(id: string): Promise<boolean>;
}

export interface WorkspaceStore {
  insert(workspace: Workspace, adminId: string): Promise<void>;
  list(): Promise<Workspace[]>;
  find(id: string): Promise<Workspace | undefined>;
  setPlan(id: string, plan: PlanName): Promise<boolean>;
  /** A slug that is taken gets a number; the space comes back as it is stored. */
  insertSpace(workspaceId: string, space: Space): Promise<Space>;
  listSpaces(workspaceId: string): Promise<Space[]>;
  hasSpace(workspaceId: string, spaceId: string): Promise<boolean>;
  /** The admin of longest standing; undefined when there is none. */
  findAdmin(workspaceId: string): Promise<User | undefined>;
  /** Undefined when there is no such space, or it is archived. Its slug stays: links keep working. */
  renameSpace(spaceId: string, name: string, now: string): Promise<Space | undefined>;
  archiveSpace(spaceId: string, now: string): Promise<boolean>;
}
