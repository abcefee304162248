import type { KyselyPlugin, QueryResult, RootOperationNode, UnknownRow } from 'kysely';
import type { Database, Tx } from '../../src/platform/database/database.ts';

export interface Failure {
  /** The first statement that fails, counted from 1. */
  at: number;
  /** How many fail in a row. */
  lasting: number;
  /** Whether the first was carried out, and only its answer got lost. */
  isDone: boolean;
}

/** The real database, whose connection breaks at a statement that the test names. `begin` and `commit` are statements. */
export function failingDatabase(database: Database) {
  let count = 0;
  let failure: Failure | undefined;
  let failed = 0;

  /** Whether this statement loses its answer; raises if it does not even arrive. */
  function arrive(): boolean {
    count += 1;
    if (!failure || count < failure.at || count >= failure.at + failure.lasting) return false;
    failed += 1;
    if (failure.isDone && count === failure.at) return true;
    throw connectionLost();
  }

  const lost = new WeakSet<object>();
  const plugin: KyselyPlugin = {
    transformQuery({ queryId, node }): RootOperationNode {
      if (arrive()) lost.add(queryId);
      return node;
    },
    async transformResult({ queryId, result }): Promise<QueryResult<UnknownRow>> {
      if (lost.has(queryId)) throw connectionLost();
      return result;
    },
  };

  async function transact<Result>(
    run: (work: (tx: Tx) => Promise<Result>) => Promise<Result>,
    work: (tx: Tx) => Promise<Result>,
  ): Promise<Result> {
    if (arrive()) throw connectionLost();
    let isAnswerLost = false;
    const result = await run(async (trx) => {
      const value = await work(trx.withPlugin(plugin) as Tx);
      isAnswerLost = arrive();
      return value;
    });
    if (isAnswerLost) throw connectionLost();
    return result;
  }

  const broken: Database = {
    ...database,
    db: database.db.withPlugin(plugin),
    quick: database.quick.withPlugin(plugin),
    async read<Row>(...query: Parameters<Database['read']>): Promise<Row[]> {
      const isAnswerLost = arrive();
      const rows = await database.read<Row>(...query);
      if (isAnswerLost) throw connectionLost();
      return rows;
    },
    write: (work) => transact((wrapped) => database.write(wrapped), work),
    writeLocked: (work, rowId) => transact((wrapped) => database.writeLocked(wrapped, rowId), work),
  };

  return {
    database: broken,
    /** Counts from now on, and fails there. */
    failAt(next: Failure | undefined): void {
      [count, failed, failure] = [0, 0, next];
    },
    /** How many statements failed since `failAt`. */
    failed: () => failed,
  };
}

const connectionLost = () => new Error('Connection terminated unexpectedly');
