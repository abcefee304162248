import {
  ColumnNode,
  DeleteQueryNode,
  InsertQueryNode,
  type OperationNode,
  type RootOperationNode,
  TableNode,
  UpdateQueryNode,
} from 'kysely';
import type { Db } from './database.ts';

/** What a principal is made of. */
const tables = new Set(['users', 'workspaces', 'workspace_members', 'api_keys']);
/** A new row of these is a new principal, and nobody has cached it yet. A new member, though, may bring a policy. */
const ownRows = new Set(['users', 'workspaces', 'api_keys']);
/** Columns of these tables that say nothing about a principal. Every key's last use is written twice a minute. */
const otherColumns = new Set(['last_used_at']);

/** The same database for one write; `changed` tells whether the write touched what principals are made of. */
export function trackPrincipals(db: Db): { db: Db; changed(): boolean } {
  let changed = false;
  const tracked = db.withPlugin({
    transformQuery({ node }) {
      changed ||= changesPrincipals(node);
      return node;
    },
    transformResult: async ({ result }) => result,
  });
  return { db: tracked, changed: () => changed };
}

function changesPrincipals(node: RootOperationNode): boolean {
  if (InsertQueryNode.is(node)) return isOf(tables, node.into) && !isOf(ownRows, node.into);
  if (DeleteQueryNode.is(node)) return node.from.froms.some((from) => isOf(tables, from));
  if (UpdateQueryNode.is(node)) return isOf(tables, node.table) && !setsOnlyOtherColumns(node);
  return false;
}

const isOf = (names: ReadonlySet<string>, node: OperationNode | undefined) =>
  node !== undefined && TableNode.is(node) && names.has(node.table.identifier.name);

const setsOnlyOtherColumns = ({ updates = [] }: UpdateQueryNode) =>
  updates.every(({ column }) => ColumnNode.is(column) && otherColumns.has(column.column.name));
