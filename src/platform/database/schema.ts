import type { Generated, Kysely } from 'kysely';
import { z } from 'zod';
import type { StoredKey } from '../../domain/api-key.ts';
import type { AuditEvent } from '../../domain/audit.ts';
import type { LoggedChange } from '../../domain/change.ts';
import type { Folder } from '../../domain/folder.ts';
import type { StoredInvitation } from '../../domain/invitation.ts';
import type { Membership } from '../../domain/member.ts';
import type { StoredNote, unedited } from '../../domain/note.ts';
import type { ChunkText, Recording } from '../../domain/recording.ts';
import type { Revision } from '../../domain/revision.ts';
import type { StoredSession } from '../../domain/session.ts';
import type { Transcription } from '../../domain/transcription.ts';
import type { User } from '../../domain/user.ts';
import type { Delivery, SendingWebhook } from '../../domain/webhook.ts';
import type { Workspace } from '../../domain/workspace.ts';
import type { Conversation, Turn } from '../../features/ask/schema.ts';
import type { DictionaryEntry } from '../../features/dictionary/schema.ts';
import type { StoredAppPassword } from '../../features/identity/app-passwords/schema.ts';
import type { NewGrant, OAuthClient, TokenHashes } from '../../features/identity/oauth/schema.ts';
import type { StoredPasskey } from '../../features/identity/passkeys/schema.ts';
import type { LanguageJob, StoredAction } from '../../features/language/schema.ts';
import type { Snippet } from '../../features/snippets/schema.ts';
import type { Space } from '../../features/spaces/schema.ts';
import type { Tag } from '../../features/tags/schema.ts';

/**
 * The tables as migrations/ makes them, the same on both databases: the columns of a resource are its fields (see
 * domain/), plus columns that only the store knows. Timestamps are ISO text, ids are UUID text.
 */
export interface Schema {
  passkeys: Row<StoredPasskey>;
  app_passwords: Row<StoredAppPassword>;
  oauth_clients: Row<OAuthClient>;
  oauth_grants: Row<NewGrant> & {
    [Column in Exclude<keyof TokenHashes, 'expires_at'> | 'successor']: Generated<string | null>;
  };
  used_challenges: { challenge: string; expires_at: string };
  provided_identities: {
    issuer: string;
    subject: string;
    user_id: string;
    by_invitation: number;
    grants: string;
    created_at: string;
    used_at: string;
  };
  users: Row<User> & {
    keep_audio: Generated<number>;
    first_steps: Generated<'new' | 'shown' | 'over'>;
    is_operator: Generated<number>;
    suspended_at: Generated<string | null>;
  };
  visits: { user_id: string; last_at: string };
  workspaces: Row<Workspace> & {
    blocks_cloud_transcription: Generated<number>;
    blocks_cloud_backup: Generated<number>;
    blocks_language_models: Generated<number>;
  };
  workspace_members: Row<Omit<Membership, 'managed'>> & {
    workspace_id: string;
    managed: Generated<number>;
  };
  invitations: Row<StoredInvitation>;
  spaces: Row<Space> & { workspace_id: string; archived_at: string | null };
  api_keys: Row<StoredKey> & {
    revoked_at: string | null;
    old_key_hash: string | null;
    old_expires_at: string | null;
  };
  folders: Row<Folder> & { owner_id: string; name_key: string };
  tags: Row<Omit<Tag, 'note_count'>> & { owner_id: string; name_key: string };
  note_tags: { tag_id: string; note_seq: number; in_trash: number };
  notes: Row<Omit<StoredNote, EditedColumn>> & {
    [Column in EditedColumn]: Generated<Stored<StoredNote[Column]>>;
  } & { seq: Generated<number>; deleted_at: string | null };
  changes: Pick<LoggedChange, 'type' | 'id' | 'action' | 'at'> & {
    tx: Generated<number>;
    seq: Generated<number>;
    owner_id: string;
  };
  change_marks: { at: string; tx: number; seq: number; forgotten: Generated<number> };
  webhooks: Row<SendingWebhook> & { holder: Generated<string | null>; turn_at: Generated<string> };
  webhook_deliveries: Delivery & { webhook_id: string };
  note_revisions: Row<Revision> & { note_id: string };
  search_entries: { entry: Generated<number>; seq: number; owner_id: string; analyser: number; text: string };
  search_fresh: { owner_id: string; entry: number };
  search_dead: { owner_id: string; entry: number };
  search_segments: {
    segment: Generated<number>;
    owner_id: string;
    complete: number;
    created_at: string;
    notes: number;
    entries: Uint8Array;
    lengths: Uint8Array;
    first_terms: string;
    vocabulary: string;
  };
  search_blocks: { segment: number; block: number; data: Uint8Array };
  search_pending: { seq: number };
  search_scrubs: { owner_id: string };
  dictionary_words: Row<DictionaryEntry> & {
    user_id: string;
    word_key: string;
    used_at: Generated<string | null>;
  };
  conversations: Row<Conversation> & { user_id: string };
  conversation_turns: Row<Turn> & { conversation_id: string; number: number };
  snippets: Row<Snippet> & { user_id: string; trigger_key: string };
  transcriptions: Row<Omit<Transcription, 'status'>>;
  transcription_leases: {
    key_id: string;
    id: string;
    user_id: string;
    reserved_ms: number;
    reserved_at: string;
    expires_at: string;
    holder: Generated<string>;
  };
  /** One row per transcription, kept when its record is deleted: what was used stays used. */
  usage_ledger: {
    transcription_id: string;
    user_id: string;
    counted_at: string;
    words: number;
    audio_ms: number;
    recording_ms: Generated<number>;
  };
  language_usage: { user_id: string; day: string; prompt_tokens: number; answer_tokens: number };
  language_settings: {
    user_id: string;
    is_allowed: Generated<number>;
    titles: Generated<number>;
    actions: Generated<string>;
    folders: Generated<string>;
  };
  actions: Row<StoredAction>;
  language_jobs: Row<LanguageJob> & {
    workspace_id: string | null;
    task: string;
    given_title: string | null;
    worker: string;
    claimed_at: string | null;
    not_before: string;
    faults: number;
  };
  language_parts: { job_id: string; position: number; asked_hash: string; text: string };
  recordings: Row<Recording> & {
    speakers: number | null;
    wants_note: number;
    is_named: Generated<number>;
    is_sample: Generated<number>;
    waveform: Generated<string | null>;
    note_space_id: string | null;
    note_folder_id: string | null;
    into_note_id: Generated<string | null>;
    is_resumable: Generated<number>;
    is_live: Generated<number>;
    worker: Generated<string>;
    upload_length: Generated<number | null>;
    holder: string;
    claimed_at: Generated<string | null>;
    started_at: Generated<string | null>;
    not_before: string;
    faults: number;
  };
  recording_stretches: ChunkText & {
    recording_id: string;
    detail: string | null;
    language: string | null;
  };
  doomed_sounds: { id: string };
  storage_reservations: { id: string; user_id: string; bytes: number; holder: string };
  rate_usage: {
    key_id: string;
    minute_start: number;
    minute_used: number;
    day_start: number;
    day_used: number;
  };
  switches: { name: string; on_until: string | null; updated_at: string };
  sessions: Row<StoredSession>;
  sign_in_links: {
    token_hash: string;
    user_id: string;
    expires_at: string;
    created_at: string;
    session_id: string | null;
  };
  email_codes: {
    email: string;
    code_hash: string;
    wrong_tries: number;
    expires_at: string;
    created_at: string;
  };
  code_requests: { id: string; subject: string; requested_at: string };
  agent_tokens: { id: string; user_id: string; token_hash: string; expires_at: string; created_at: string };
  idempotency_keys: {
    id: string;
    caller: string;
    route: string;
    key_hash: string;
    holder: string;
    fingerprint: Generated<string | null>;
    answer: Generated<string | null>;
    expires_at: string;
  };
  audit_events: Pick<AuditEvent, 'id' | 'created_at' | 'act'> & {
    [Column in Exclude<keyof AuditEvent, 'id' | 'created_at' | 'act'>]: Generated<AuditEvent[Column]>;
  };
  installation: { name: string; value: string };
  schema_migrations: { name: string; checksum: string; applied_at: string };
}

type EditedColumn = keyof typeof unedited;

export type Db = Kysely<Schema>;

/** A resource as a row of its table. Booleans are 0 or 1 (SQLite has no booleans), lists and objects are JSON text. */
export type Row<Resource> = { [Field in keyof Resource]: Stored<Resource[Field]> };
type Stored<Value> = Value extends boolean ? number : Value extends object ? string : Value;

/** A row whose fields of the resource have been converted back. Other columns are unchanged. */
type Restored<Given, Resource> = {
  [Column in keyof Given]: Column extends keyof Resource ? Resource[Column] : Given[Column];
};

/** The columns of a resource, and the conversion between a resource and its row. */
export function rowsOf<Shape extends z.ZodRawShape>(resource: z.ZodObject<Shape>) {
  type Resource = z.infer<z.ZodObject<Shape>>;
  const fields = Object.entries<z.core.$ZodType>(resource.shape);
  const namesOf = (kind: typeof z.ZodBoolean | typeof z.ZodArray | typeof z.ZodObject | typeof z.ZodNumber) =>
    fields.flatMap(([name, field]) => (bare(field) instanceof kind ? [name] : []));
  const booleans = namesOf(z.ZodBoolean);
  const parsed = [...namesOf(z.ZodArray), ...namesOf(z.ZodObject)];
  const numbers = [...booleans, ...namesOf(z.ZodNumber)];

  /** Changes the row in place, because the database driver made it for this call. */
  function fromRow<Given extends object>(given: Given): Restored<Given, Resource> {
    const row = given as Record<string, unknown>;
    for (const name of booleans) if (name in row) row[name] = row[name] === 1;
    for (const name of parsed) if (typeof row[name] === 'string') row[name] = JSON.parse(row[name]);
    return row as Restored<Given, Resource>;
  }

  return {
    // The keys of the shape, which TypeScript does not know to be names of the resource.
    columns: fields.map(([name]) => name) as (keyof Resource & string)[],

    /** The type of a column in PostgreSQL. */
    typeOf: (column: string) => (numbers.includes(column) ? 'integer' : 'text'),

    /** Converts a resource or some of its fields. Other columns are unchanged. */
    toRow<Given extends object>(given: Given): { [Column in keyof Given]: Stored<Given[Column]> } {
      const row = { ...given } as Record<string, unknown>;
      for (const name of booleans) if (name in row) row[name] = Number(row[name]);
      for (const name of parsed)
        if (typeof row[name] === 'object' && row[name] !== null) row[name] = JSON.stringify(row[name]);
      return row as { [Column in keyof Given]: Stored<Given[Column]> };
    },

    fromRow,
    /** The rows of a query, converted. */
    all: async <Given extends object>(query: { execute(): Promise<Given[]> }) =>
      (await query.execute()).map((row) => fromRow(row)),
    /** The first row of a query, converted. */
    async first<Given extends object>(query: { executeTakeFirst(): Promise<Given | undefined> }) {
      const row = await query.executeTakeFirst();
      return row && fromRow(row);
    },
    /** The row that a query surely has, converted. */
    only: async <Given extends object>(query: { executeTakeFirstOrThrow(): Promise<Given> }) =>
      fromRow(await query.executeTakeFirstOrThrow()),
  };
}

const bare = (field: z.core.$ZodType): z.core.$ZodType =>
  field instanceof z.ZodNullable || field instanceof z.ZodOptional ? bare(field.unwrap()) : field;
