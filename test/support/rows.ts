import { createHash, randomUUID } from 'node:crypto';
import type { StoredKey } from '../../src/domain/api-key.ts';
import { hashSecret } from '../../src/domain/api-key.ts';
import type { Folder } from '../../src/domain/folder.ts';
import type { StoredInvitation } from '../../src/domain/invitation.ts';
import { type StoredNote, unedited } from '../../src/domain/note.ts';
import type { Principal } from '../../src/domain/principal.ts';
import { type NewSession, newSession } from '../../src/domain/session.ts';
import type { Transcription } from '../../src/domain/transcription.ts';
import type { User } from '../../src/domain/user.ts';
import type { Delivery, SendingWebhook, Webhook } from '../../src/domain/webhook.ts';
import type { Workspace } from '../../src/domain/workspace.ts';
import type { Space } from '../../src/features/spaces/schema.ts';
import { sameTextKey } from '../../src/lib/text.ts';
import { newUuid } from '../../src/lib/uuid.ts';
import type { RowStore } from './store.ts';
import type { NewFolder, StoredNotes } from './stored-notes.ts';

/** An instant of the tests' own calendar: the later the higher the number. */
export const at = (second: number) => new Date(Date.UTC(2026, 0, 1) + second * 1000).toISOString();

export const userRow = (fields: Partial<User> = {}): User => ({
  id: newUuid(),
  email: null,
  name: 'Ada',
  plan: 'business',
  created_at: at(0),
  ...fields,
});

export const noteRow = (ownerId: string, fields: Partial<StoredNote> = {}): StoredNote => ({
  ...unedited,
  id: newUuid(),
  owner_id: ownerId,
  user_id: ownerId,
  space_id: null,
  client_note_id: randomUUID(),
  title: null,
  content: 'some words',
  enhanced_content: null,
  note_type: 'personal',
  folder_id: null,
  pinned: false,
  participants: null,
  calendar_event_id: null,
  transcript: null,
  created_at: at(0),
  updated_at: at(0),
  ...fields,
});

export async function insertNote(
  store: Pick<StoredNotes, 'notes'>,
  ownerId: string,
  fields: Partial<StoredNote> = {},
) {
  const row = noteRow(ownerId, fields);
  return { row, outcome: await store.notes.insert(row) };
}

export const folderRow = (ownerId: string, fields: Partial<NewFolder> & Partial<Folder> = {}): NewFolder => {
  const name = fields.name ?? `Folder ${randomUUID()}`;
  return {
    id: newUuid(),
    owner_id: ownerId,
    space_id: null,
    name,
    name_key: sameTextKey(name),
    sort_order: null,
    is_default: false,
    created_at: at(0),
    updated_at: at(0),
    ...fields,
  };
};

export const keyRow = (userId: string, fields: Partial<StoredKey> = {}): StoredKey => ({
  id: newUuid(),
  kind: 'personal',
  user_id: userId,
  workspace_id: null,
  name: 'Laptop',
  description: null,
  key_prefix: 'owk_live_1234567',
  key_hash: createHash('sha256').update(randomUUID()).digest('hex'),
  scopes: ['notes:read'],
  last_used_at: null,
  last_used_route: null,
  allowed_addresses: null,
  expires_at: null,
  created_at: at(0),
  ...fields,
});

export const workspaceRow = (fields: Partial<Workspace> = {}): Workspace => ({
  id: newUuid(),
  name: 'Team',
  plan: 'business',
  created_at: at(0),
  ...fields,
});

export const spaceRow = (fields: Partial<Space> = {}): Space => ({
  id: newUuid(),
  name: 'General',
  slug: 'general',
  description: null,
  emoji: null,
  created_at: at(0),
  updated_at: at(0),
  ...fields,
});

export const transcriptionRow = (userId: string, fields: Partial<Transcription> = {}): Transcription => ({
  id: newUuid(),
  user_id: userId,
  note_id: null,
  status: 'completed',
  text: 'three small words',
  word_count: 3,
  source: 'cloud',
  provider: null,
  model: null,
  language: 'en',
  reason: null,
  audio_duration_ms: 1,
  processing_ms: 1,
  segments: null,
  created_at: at(0),
  ...fields,
});

export type NewWebhook = Webhook & Pick<SendingWebhook, 'owner_id' | 'secret' | 'account_id' | 'key_id'>;
export const webhookRow = (ownerId: string, fields: Partial<NewWebhook> = {}): NewWebhook => ({
  id: newUuid(),
  url: 'https://receiver.example',
  events: ['note.created'],
  space_id: null,
  workspace_id: null,
  status: 'active',
  pause_reason: null,
  failing_since: null,
  attempts: 0,
  next_attempt_at: at(0),
  old_secret_until: null,
  created_at: at(0),
  updated_at: at(0),
  owner_id: ownerId,
  secret: 'whsec_first',
  account_id: ownerId,
  key_id: null,
  ...fields,
});

export const deliveryRow = (fields: Partial<Delivery> = {}): Delivery => ({
  id: newUuid(),
  event: 'note.created',
  resource_id: newUuid(),
  at: at(0),
  attempts: 1,
  delivered_at: null,
  last_attempt_at: at(1),
  response_status: null,
  error: null,
  request_head: null,
  response_head: null,
  ...fields,
});

/** Somebody with an account and an address. */
export async function insertPerson(
  store: RowStore,
  fields: Partial<User> = {},
): Promise<User & { email: string }> {
  const email = `${newUuid()}@example.org`;
  const user = userRow({ email, ...fields });
  if ((await store.users.insert(user)) !== 'ok') throw new Error('another account has this address');
  return { ...user, email: user.email ?? email };
}

/** A workspace and its first admin. */
export async function insertTeam(store: RowStore) {
  const admin = await insertPerson(store, { name: 'Head' });
  const workspace = workspaceRow();
  await store.workspaces.insert(workspace, admin.id);
  return { id: workspace.id, admin, workspace };
}

/** The token of its link is its id. */
export const invitationRow = (
  workspaceId: string,
  inviterId: string,
  fields: Partial<StoredInvitation> = {},
): StoredInvitation => {
  const { id = newUuid() } = fields;
  return {
    id,
    email: `${newUuid()}@example.org`,
    role: 'member',
    managed: false,
    invited_by: inviterId,
    created_at: at(0),
    expires_at: at(14 * 86_400),
    workspace_id: workspaceId,
    token_hash: hashSecret(id),
    mailed: 1,
    ...fields,
  };
};

/** A session that begins at this second of the tests' calendar; its user is not known yet. */
export const sessionRow = (second: number, provider: string | null = null): NewSession =>
  newSession(newUuid(), Date.parse(at(second)), { address: '192.0.2.1', userAgent: 'test' }, provider)
    .session;

/** What the audit log tells of something, the oldest first. */
export async function toldOf(store: RowStore, subjectId: string) {
  const told = await store.audit.list({}, { limit: 1_000 });
  return told.filter((event) => event.subject_id === subjectId).reverse();
}

/** A person who calls with a personal key. */
export const personOf = (userId: string): Principal => ({
  kind: 'personal',
  userId,
  plan: 'business',
  scopes: [],
  blockedBy: [],
  expiresAt: null,
  limitKey: userId,
  allowedAddresses: null,
  key: { id: userId, name: 'test' },
});
