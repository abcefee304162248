import {
  ColumnNode,
  DeleteQueryNode,
  InsertQueryNode,
  type OperationNode,
  type RootOperationNode,
  TableNode,
  UpdateQueryNode,
} from 'kysely';

/** What a query writes. Columns are those that an update sets; `''` stands for what is not named plainly. */
interface Write {
  kind: 'insert' | 'update' | 'delete';
  tables: string[];
  columns: string[];
}

/** Undefined for a read, and for raw SQL. */
export function writeOf(node: RootOperationNode): Write | undefined {
  if (InsertQueryNode.is(node)) return { kind: 'insert', tables: [tableName(node.into)], columns: [] };
  if (DeleteQueryNode.is(node))
    return { kind: 'delete', tables: node.from.froms.map(tableName), columns: [] };
  if (!UpdateQueryNode.is(node)) return undefined;
  const columns = (node.updates ?? []).map(({ column }) => (ColumnNode.is(column) ? column.column.name : ''));
  return { kind: 'update', tables: [tableName(node.table)], columns };
}

const tableName = (node: OperationNode | undefined) =>
  node && TableNode.is(node) ? node.table.identifier.name : '';
