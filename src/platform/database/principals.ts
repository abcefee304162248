import {
  ColumnNode,
  DeleteQueryNode,
  InsertQueryNode,
  type OperationNode,
  RawNode,
  type RootOperationNode,
  TableNode,
  UpdateQueryNode,
} from 'kysely';
import type { Db, Tx } from './database.ts';

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
  if (InsertQueryNode.is(node)) return isOf(tables, node.into) && !isOf(ownRows, node.into);
  if (DeleteQueryNode.is(node)) return node.from.froms.some((from) => isOf(tables, from));
  if (UpdateQueryNode.is(node)) return isOf(tables, node.table) && !setsOnlyOtherColumns(node);
  // It is not looked up which tables raw SQL writes.
  return RawNode.is(node) && !/^\s*select\b/i.test(node.sqlFragments[0] ?? '');
}

const isOf = (names: ReadonlySet<string>, node: OperationNode | undefined) =>
  node !== undefined && TableNode.is(node) && names.has(node.table.identifier.name);

const setsOnlyOtherColumns = ({ updates = [] }: UpdateQueryNode) =>
  updates.every(({ column }) => ColumnNode.is(column) && otherColumns.has(column.column.name));
