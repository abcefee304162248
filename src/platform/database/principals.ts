import { RawNode, type RootOperationNode } from 'kysely';
import type { Db, Tx } from './database.ts';
import { writeOf } from './write-of.ts';

/** The tables that principals are made from. */
const tables = new Set(['users', 'workspaces', 'workspace_members', 'api_keys']);
/** An insert here makes a new principal, which no cache has yet. (A new member may bring a policy to an old one.) */
const ownRows = new Set(['users', 'workspaces', 'api_keys']);
/** Columns that do not affect a principal. The last use of every key is written twice a minute. */
const otherColumns = new Set(['last_used_at', 'last_used_route', 'keep_audio', 'first_steps']);

/**
 * Wraps the database for one write. `changed` says whether the write may have changed a principal. Texts that are compiled
 * elsewhere are not seen here: none of them writes these tables (test/store/principals.test.ts).
 */
export function trackPrincipals(db: Db): { tx: Tx; changed(): boolean } {
  let changed = false;
  const tracked = db.withPlugin({
    transformQuery({ node }) {
      changed ||= changesPrincipals(node);
      return node;
    },
    transformResult: async ({ result }) => result,
  });
  // The one place that makes the brand of a transaction.
  return { tx: tracked as Tx, changed: () => changed };
}

function changesPrincipals(node: RootOperationNode): boolean {
  // It is not looked up which tables raw SQL writes.
  if (RawNode.is(node)) return !/^\s*select\b/i.test(node.sqlFragments[0] ?? '');
  const write = writeOf(node);
  if (!write?.tables.some((name) => tables.has(name))) return false;
  if (write.kind === 'insert') return !write.tables.every((name) => ownRows.has(name));
  return write.kind === 'delete' || !write.columns.every((name) => otherColumns.has(name));
}
