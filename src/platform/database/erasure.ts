import type { RootOperationNode } from 'kysely';
import type { Db, Schema } from './schema.ts';
import { writeOf } from './write-of.ts';

/**
 * What a deleted row of each table leaves in the files of SQLite: texts that people wrote, or that are about people; words of
 * notes that only the index has; or nothing that must be erased: counters, hashes, sealed answers, ids.
 */
export const leftBy: Readonly<Record<keyof Schema, 'text' | 'words' | 'nothing'>> = {
  users: 'text',
  workspaces: 'text',
  workspace_members: 'nothing',
  invitations: 'text',
  spaces: 'text',
  api_keys: 'text',
  folders: 'text',
  tags: 'text',
  note_tags: 'nothing',
  notes: 'text',
  note_revisions: 'text',
  dictionary_words: 'text',
  conversations: 'text',
  conversation_turns: 'text',
  snippets: 'text',
  transcriptions: 'text',
  recordings: 'text',
  recording_stretches: 'text',
  actions: 'text',
  language_jobs: 'text',
  language_parts: 'text',
  webhooks: 'text',
  sessions: 'text',
  visits: 'nothing',
  passkeys: 'text',
  app_passwords: 'text',
  oauth_clients: 'text',
  oauth_grants: 'text',
  provided_identities: 'text',
  audit_events: 'text',
  email_codes: 'text',
  search_entries: 'words',
  search_segments: 'words',
  search_blocks: 'words',
  search_fresh: 'nothing',
  search_dead: 'nothing',
  search_pending: 'nothing',
  search_scrubs: 'nothing',
  changes: 'nothing',
  change_marks: 'nothing',
  webhook_deliveries: 'nothing',
  transcription_leases: 'nothing',
  usage_ledger: 'nothing',
  language_usage: 'nothing',
  language_settings: 'nothing',
  doomed_sounds: 'text',
  storage_reservations: 'nothing',
  rate_usage: 'nothing',
  switches: 'nothing',
  sign_in_links: 'nothing',
  code_requests: 'nothing',
  agent_tokens: 'nothing',
  used_challenges: 'nothing',
  idempotency_keys: 'nothing',
  installation: 'nothing',
  schema_migrations: 'nothing',
};

/** Columns whose old value is a text that a person replaced. */
const textColumns = new Set(
  'title content enhanced_content transcript text segments word trigger replacement name prompt sections email description'.split(
    ' ',
  ),
);

/** What a query does to texts, if it changes a row. */
type Effect = 'deletes' | 'replaces' | 'adds' | undefined;

/**
 * Wraps the database for one write, and tells what the write did to texts. Rows that a foreign key deletes go with a row that a
 * query deletes.
 */
export function trackErasure(db: Db) {
  const effects = new WeakMap<object, Effect>();
  const seen = new Set<Effect>();
  const tracked = db.withPlugin({
    transformQuery({ node, queryId }) {
      const effect = effectOf(node);
      if (effect) effects.set(queryId, effect);
      return node;
    },
    async transformResult({ result, queryId }) {
      const effect = effects.get(queryId);
      if (effect && (result.rows.length > 0 || (result.numAffectedRows ?? 0n) > 0n)) seen.add(effect);
      return result;
    },
  });
  return {
    db: tracked,
    deletes: () => seen.has('deletes'),
    replaces: () => seen.has('replaces'),
    /** On a full disk it may use what is kept in reserve, because it makes room. */
    makesRoom: () => seen.has('deletes') && !seen.has('adds'),
  };
}

function effectOf(node: RootOperationNode): Effect {
  const write = writeOf(node);
  if (!write) return undefined;
  const { kind, tables, columns } = write;
  const left = tables.map((name) => (name in leftBy ? leftBy[name as keyof Schema] : 'nothing'));
  const hasText = left.includes('text');
  if (kind === 'delete') return hasText ? 'deletes' : left.includes('words') ? 'replaces' : undefined;
  // The audit log tells of deletions too.
  if (!hasText || tables.includes('audit_events')) return undefined;
  if (kind === 'insert') return 'adds';
  // A note goes to the trash.
  if (columns.includes('deleted_at')) return 'deletes';
  return columns.some((name) => textColumns.has(name)) ? 'replaces' : undefined;
}
