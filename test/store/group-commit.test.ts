import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { AppError } from '../../src/domain/errors.ts';
import type { Db } from '../../src/platform/database/database.ts';
import { databaseFile } from '../../src/platform/database/sqlite.ts';
import { holdLock } from '../support/lock-holder.ts';
import { userRow } from '../support/rows.ts';
import { openStore, type TestStore } from '../support/store.ts';
import { countCommits } from '../support/wal.ts';

let steno: TestStore;
let closed: boolean;
beforeEach(async () => {
  steno = await openStore('sqlite');
  closed = false;
});
afterEach(async () => {
  await (closed ? steno.dispose() : steno.close());
});

const addUser = (name: string) => (db: Db) => db.insertInto('users').values(userRow({ name })).execute();
const outcomes = async (writes: Promise<unknown>[]) =>
  (await Promise.allSettled(writes)).map(({ status }) => status);
const names = async () => (await steno.store.users.list()).map(({ name }) => name).sort();

/** Sees only what is committed: a connection of its own, as another process has. */
function committedNames(): string[] {
  const other = new DatabaseSync(databaseFile(steno.config.dataDir), { readOnly: true });
  try {
    return other
      .prepare('select name from users order by name')
      .all()
      .map((row) => String(row.name));
  } finally {
    other.close();
  }
}

describe('writes that arrive together', () => {
  test('share one commit', async () => {
    const before = countCommits(steno.config.dataDir);
    await Promise.all(
      Array.from({ length: 64 }, (_, index) => steno.database.write(addUser(`user ${index}`))),
    );
    expect(countCommits(steno.config.dataDir) - before).toBe(1);
    expect(await names()).toHaveLength(64);
  });

  test('that come one after the other have a commit each', async () => {
    const before = countCommits(steno.config.dataDir);
    for (const name of ['a', 'b', 'c']) await steno.database.write(addUser(name));
    expect(countCommits(steno.config.dataDir) - before).toBe(3);
  });

  test('are answered only when another connection can see them', async () => {
    const seen = await Promise.all(
      ['a', 'b', 'c'].map(async (name) => {
        await steno.database.write(addUser(name));
        return committedNames();
      }),
    );
    expect(seen).toEqual([
      ['a', 'b', 'c'],
      ['a', 'b', 'c'],
      ['a', 'b', 'c'],
    ]);
  });

  test('share it with one that is refused before it changed anything', async () => {
    const before = countCommits(steno.config.dataDir);
    const refuse = () => Promise.reject(new AppError('conflict', 'taken'));
    const writes = [addUser('a'), refuse, addUser('b')].map((work) => steno.database.write<unknown>(work));
    expect(await outcomes(writes)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(countCommits(steno.config.dataDir) - before).toBe(1);
    expect(committedNames()).toEqual(['a', 'b']);
  });

  test('lose nothing to one that is refused after it changed something', async () => {
    const refuse = async (db: Db) => {
      await addUser('half')(db);
      throw new AppError('conflict', 'taken');
    };
    const writes = [addUser('a'), refuse, addUser('b')].map((work) => steno.database.write<unknown>(work));
    expect(await outcomes(writes)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(committedNames()).toEqual(['a', 'b']);
  });

  test('and queued while others are being written, all get their turn', async () => {
    const inner: Promise<unknown>[] = [];
    await steno.database.write(async (db) => {
      inner.push(steno.database.write(addUser('queued meanwhile')));
      await addUser('first')(db);
    });
    await Promise.all(inner);
    expect(await names()).toEqual(['first', 'queued meanwhile']);
  });
});

describe('one that fails', () => {
  test('takes back all it did and fails none of its neighbours', async () => {
    const fault = new Error('second thoughts');
    const results = await Promise.allSettled([
      steno.database.write(addUser('before')),
      steno.database.write(async (db) => {
        await addUser('never')(db);
        throw fault;
      }),
      steno.database.write(async (db) => {
        await addUser('nor this')(db);
        await sql`insert into users (id) values ('incomplete')`.execute(db);
      }),
      steno.database.write((): never => {
        throw fault;
      }),
      steno.database.write(addUser('after')),
    ]);
    expect(results.map(({ status }) => status)).toEqual([
      'fulfilled',
      'rejected',
      'rejected',
      'rejected',
      'fulfilled',
    ]);
    expect(results[1]).toMatchObject({ reason: fault });
    expect(results[3]).toMatchObject({ reason: fault });
    expect(await names()).toEqual(['after', 'before']);
  });

  test('at the commit itself fails all that share it and leaves nothing; the next ones work', async () => {
    const dangling = async (db: Db) => {
      await sql`pragma defer_foreign_keys = on`.execute(db);
      await sql`insert into workspace_members (workspace_id, user_id, role, created_at)
        values ('no such', 'nobody', 'admin', '')`.execute(db);
    };
    const together = [
      steno.database.write(addUser('a')),
      steno.database.write(dangling),
      steno.database.write(addUser('b')),
    ];
    expect(await outcomes(together)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(committedNames()).toEqual([]);
    await steno.database.write(addUser('later'));
    expect(committedNames()).toEqual(['later']);
  });

  test('for want of disk space is refused alone, and there is room again when space is', async () => {
    const limitPages = (pages: number) =>
      steno.database.write((db) => sql`pragma max_page_count = ${sql.lit(pages)}`.execute(db));
    const { rows } = await sql<{ page_count: number }>`pragma page_count`.execute(steno.database.db);
    await limitPages((rows[0]?.page_count ?? 0) + 20);
    const huge = 'x'.repeat(1_000_000);
    for (let round = 0; round < 3; round += 1) {
      const together = [
        steno.database.write(addUser(`small ${round}`)),
        steno.database.write(addUser(huge)),
        steno.database.write(addUser(`also small ${round}`)),
      ];
      expect(await outcomes(together)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    }
    expect(committedNames()).toHaveLength(6);
    await limitPages(100_000);
    await steno.database.write(addUser(huge));
    expect(committedNames()).toHaveLength(7);
  });
});

describe('beside another process', () => {
  test('that holds the write lock, writes wait, reads and the rest of the server go on', async () => {
    await steno.database.write(addUser('before'));
    const holder = await holdLock(databaseFile(steno.config.dataDir), 'begin immediate');
    let written = false;
    const write = steno.database.write(addUser('waited')).then(() => {
      written = true;
    });
    // Each turn lets timers and sockets run: an engine that waited in place would stop them all.
    for (let turn = 0; turn < 20; turn += 1) {
      await new Promise((resolve) => setTimeout(resolve, 5));
      expect(await names()).toEqual(['before']);
    }
    expect(written).toBe(false);
    await holder.release();
    await write;
    expect(committedNames()).toEqual(['before', 'waited']);
  });

  test('that is killed while it holds the write lock, writes go through', async () => {
    const holder = await holdLock(
      databaseFile(steno.config.dataDir),
      `begin immediate; insert into users (id, name, plan, created_at) values ('x', 'half written', 'free', '')`,
    );
    const write = steno.database.write(addUser('waited'));
    await holder.kill();
    await write;
    expect(committedNames()).toEqual(['waited']);
  });
});

describe('closing', () => {
  test('waits for what is queued', async () => {
    const writes = ['a', 'b'].map((name) => steno.database.write(addUser(name)));
    const file = databaseFile(steno.config.dataDir);
    await steno.database.close();
    closed = true;
    const after = new DatabaseSync(file, { readOnly: true });
    expect(after.prepare('select count(*) as n from users').get()).toEqual({ n: 2 });
    after.close();
    expect(await outcomes(writes)).toEqual(['fulfilled', 'fulfilled']);
  });

  test('makes later writes fail, each of them', async () => {
    await steno.database.close();
    closed = true;
    const late = [steno.database.write(addUser('a')), steno.database.write(addUser('b'))];
    expect(await outcomes(late)).toEqual(['rejected', 'rejected']);
    expect(await outcomes([steno.database.write(addUser('c'))])).toEqual(['rejected']);
  });
});

test('any mix of good and bad writes in any batches leaves exactly the good ones', async () => {
  const failure = fc.constantFrom('throws at once', 'throws late', 'breaks a rule', 'none', 'none', 'none');
  const job = fc.record({ failure, statements: fc.integer({ min: 1, max: 4 }), pause: fc.boolean() });
  let number = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(job, { maxLength: 8 }), { maxLength: 5 }), async (batches) => {
      const expected = new Set(await names());
      const writes: Promise<unknown>[] = [];
      for (const batch of batches) {
        for (const { failure, statements, pause } of batch) {
          number += 1;
          const mine = Array.from({ length: statements }, (_, index) => `job ${number} row ${index}`);
          if (failure === 'none') for (const name of mine) expected.add(name);
          const write = steno.database.write(async (db) => {
            if (failure === 'throws at once') throw new Error(failure);
            for (const name of mine) await addUser(name)(db);
            if (failure === 'throws late') throw new Error(failure);
            if (failure === 'breaks a rule') await sql`insert into users (id) values ('x')`.execute(db);
          });
          writes.push(
            write.then(
              () => expect(failure).toBe('none'),
              () => expect(failure).not.toBe('none'),
            ),
          );
          if (pause) await new Promise((resolve) => setImmediate(resolve));
        }
        await Promise.all(writes);
      }
      expect(await names()).toEqual([...expected].sort());
    }),
    { numRuns: 60 },
  );
});
