import type { Generated } from 'kysely';
import type { KeyKind } from '../domain/api-key.ts';
import type { DictionarySource } from '../domain/dictionary.ts';
import type { NoteType } from '../domain/note.ts';
import type { PlanName } from '../domain/plans.ts';
import type { WorkspaceRole } from '../domain/workspace.ts';

/** The tables as migrations/ makes them, the same on both databases. Timestamps are ISO text, ids are UUID text. */
export interface Schema {
  users: UsersTable;
  workspaces: WorkspacesTable;
  workspace_members: WorkspaceMembersTable;
  spaces: SpacesTable;
  api_keys: ApiKeysTable;
  folders: FoldersTable;
  notes: NotesTable;
  dictionary_words: DictionaryWordsTable;
  snippets: SnippetsTable;
  switches: SwitchesTable;
  rate_usage: RateUsageTable;
  sessions: SessionsTable;
  verifications: VerificationsTable;
  sign_in_links: SignInLinksTable;
  email_codes: EmailCodesTable;
  code_requests: CodeRequestsTable;
  agent_tokens: AgentTokensTable;
  installation: InstallationTable;
  transcriptions: TranscriptionsTable;
  transcription_leases: TranscriptionLeasesTable;
  usage_ledger: UsageLedgerTable;
  schema_migrations: SchemaMigrationsTable;
}

interface UsersTable {
  id: string;
  email: string | null;
  name: string;
  plan: PlanName;
  /** 0 or 1: SQLite has no booleans. */
  email_verified: Generated<number>;
  image: Generated<string | null>;
  updated_at: Generated<string | null>;
  created_at: string;
}

interface WorkspacesTable {
  id: string;
  name: string;
  plan: PlanName;
  created_at: string;
  /** 0 or 1, as `managed` of its members. */
  blocks_cloud_transcription: Generated<number>;
  blocks_cloud_backup: Generated<number>;
}

interface WorkspaceMembersTable {
  workspace_id: string;
  user_id: string;
  role: WorkspaceRole;
  created_at: string;
  managed: Generated<number>;
}

interface SpacesTable {
  id: string;
  workspace_id: string;
  name: string;
  slug: string;
  description: string | null;
  emoji: string | null;
  archived_at: string | null;
  created_at: string;
  updated_at: string;
}

interface ApiKeysTable {
  id: string;
  kind: KeyKind;
  user_id: string;
  workspace_id: string | null;
  name: string;
  key_prefix: string;
  key_hash: string;
  description: string | null;
  /** JSON array. */
  scopes: string;
  expires_at: string | null;
  revoked_at: string | null;
  last_used_at: string | null;
  created_at: string;
}

interface FoldersTable {
  id: string;
  owner_id: string;
  space_id: string | null;
  name: string;
  name_key: string;
  sort_order: number;
  /** 0 or 1: SQLite has no booleans. */
  is_default: number;
  created_at: string;
  updated_at: string;
}

interface NotesTable {
  seq: Generated<number>;
  id: string;
  owner_id: string;
  user_id: string;
  space_id: string | null;
  client_note_id: string;
  title: string | null;
  content: string;
  enhanced_content: string | null;
  note_type: NoteType;
  folder_id: string | null;
  participants: string | null;
  calendar_event_id: string | null;
  transcript: string | null;
  created_at: string;
  updated_at: string;
  deleted_at: string | null;
}

interface DictionaryWordsTable {
  id: string;
  user_id: string;
  word: string;
  word_key: string;
  source: DictionarySource;
  used_at: Generated<string | null>;
  created_at: string;
  updated_at: string;
}

interface SnippetsTable {
  id: string;
  user_id: string;
  trigger: string;
  trigger_key: string;
  replacement: string;
  created_at: string;
  updated_at: string;
}

interface SwitchesTable {
  name: string;
  on_until: string | null;
  updated_at: string;
}

interface RateUsageTable {
  key_id: string;
  minute_start: number;
  minute_used: number;
  day_start: number;
  day_used: number;
}

interface TranscriptionsTable {
  id: string;
  user_id: string;
  note_id: string | null;
  text: string;
  word_count: number;
  source: string;
  provider: string | null;
  model: string | null;
  language: string | null;
  audio_duration_ms: number | null;
  processing_ms: number | null;
  /** JSON array. */
  segments: string | null;
  created_at: string;
}

interface TranscriptionLeasesTable {
  key_id: string;
  id: string;
  user_id: string;
  reserved_ms: number;
  reserved_at: string;
  expires_at: string;
}

interface UsageLedgerTable {
  transcription_id: string;
  user_id: string;
  counted_at: string;
  words: number;
  audio_ms: number;
}

interface SchemaMigrationsTable {
  name: string;
  checksum: string;
  applied_at: string;
}

interface SessionsTable {
  id: string;
  user_id: string;
  token_hash: string;
  ip_address: string | null;
  user_agent: string | null;
  expires_at: string;
  created_at: string;
  updated_at: string;
}

interface VerificationsTable {
  id: string;
  identifier: string;
  value: string;
  expires_at: string;
  created_at: string;
  updated_at: string;
}

interface SignInLinksTable {
  token_hash: string;
  user_id: string;
  expires_at: string;
  created_at: string;
}

interface EmailCodesTable {
  email: string;
  code_hash: string;
  wrong_tries: number;
  expires_at: string;
  created_at: string;
}

interface CodeRequestsTable {
  id: string;
  subject: string;
  requested_at: string;
}

interface AgentTokensTable {
  id: string;
  user_id: string;
  token_hash: string;
  expires_at: string;
  created_at: string;
}

interface InstallationTable {
  name: string;
  value: string;
}
