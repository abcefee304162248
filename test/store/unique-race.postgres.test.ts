import { expect, test } from 'vitest';
import { startSteno } from '../support/steno.ts';

// PostgreSQL alone: SQLite has one writer, so nothing can come between a look and a write.
test('a write that another one overtakes to the same unique key runs again and finds its row', async () => {
  const steno = await startSteno({ databaseKind: 'postgres' });
  try {
    const row = { name: 'raced', on_until: null, updated_at: '2026-03-01T10:00:00.000Z' };
    let runs = 0;
    const outcome = await steno.database.write(async (trx) => {
      runs += 1;
      const known = await trx.selectFrom('switches').select('name').where('name', '=', row.name).execute();
      if (known.length > 0) return 'found';
      if (runs === 1)
        await steno.database.write((other) => other.insertInto('switches').values(row).execute());
      await trx.insertInto('switches').values(row).execute();
      return 'inserted';
    });
    expect([outcome, runs]).toEqual(['found', 2]);
  } finally {
    await steno.close();
  }
});
