import { type Expression, sql } from 'kysely';
import { expect, test } from 'vitest';
import { openStore } from '../support/store.ts';

// SQLite's plan alone: PostgreSQL compares (tx, seq) as one key of the index.
test('a look for new changes reads none of the old ones, however many there are', async () => {
  const { database, close } = await openStore('sqlite');
  const changes = database.db.selectFrom('changes').select('changes.seq');
  const queries: Expression<unknown>[] = [
    changes
      .where('changes.owner_id', '=', 'ada')
      .where('changes.tx', '<', database.changesHorizon)
      .where(database.changesBehind({ tx: 0, seq: 5 })),
    changes
      .innerJoin('webhooks', 'webhooks.owner_id', 'changes.owner_id')
      .where(({ ref }) => database.changesBehind({ tx: ref('webhooks.tx'), seq: ref('webhooks.seq') }))
      .where('webhooks.id', '=', 'any'),
  ];
  for (const query of queries) {
    const { rows } = await sql<{ detail: string }>`explain query plan select * from ${query}`.execute(
      database.db,
    );
    expect(rows.map(({ detail }) => detail)).toContainEqual(
      expect.stringContaining('changes_by_owner (owner_id=? AND tx=? AND seq>?)'),
    );
  }
  await close();
});
