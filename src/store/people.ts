import { type RawBuilder, sql } from 'kysely';
import type { PageQuery } from '../domain/page.ts';
import { type Person, person } from '../domain/person.ts';
import { foldText } from '../lib/text.ts';
import type { PeopleStore } from '../ports/people-store.ts';
import { recorder } from './audit.ts';
import type { Database, Db } from './database.ts';
import { isLastOperator } from './operators.ts';
import { newestFirst } from './page.ts';
import { rowsOf } from './schema.ts';
import { userColumns } from './users.ts';

const { fromRow } = rowsOf(person);
type Count = number | string;
const accountsPerRead = 1_000;

export function createPeopleStore(database: Database): PeopleStore {
  const { db } = database;
  return {
    async list({ now, matching, ...page }) {
      const all = selectPeople(db, now);
      const rows =
        matching === undefined
          ? await newestFirst(all, page).execute()
          : await newestFirst(all.where('id', 'in', await idsMatching(db, matching, page)), {
              limit: page.limit,
            }).execute();
      return rows.map(restore);
    },

    async find(id, now) {
      const row = await selectPeople(db, now).where('id', '=', id).executeTakeFirst();
      return row && restore(row);
    },

    setSuspended(id, at) {
      const record = recorder();
      return database.write(async (trx) => {
        const account = await trx
          .selectFrom('users')
          .select(['suspended_at', 'email', 'name'])
          .where('id', '=', id)
          .executeTakeFirst();
        if (!account || (account.suspended_at === null) === (at === null))
          return account ? 'ok' : 'not found';
        if (at !== null && (await isLastOperator(trx, id))) return 'last operator';
        await trx.updateTable('users').set({ suspended_at: at }).where('id', '=', id).execute();
        // Whoever has one must not come in with it later.
        await trx.deleteFrom('sign_in_links').where('user_id', '=', id).execute();
        await record(trx, {
          act: at === null ? 'account.resumed' : 'account.suspended',
          subject_id: id,
          subject_name: account.email ?? account.name,
        });
        return 'ok';
      });
    },
  };
}

/** By the indexes of one person, so a page costs the same however many people there are. */
const selectPeople = (db: Db, now: string) =>
  db
    .selectFrom('users')
    .select(userColumns)
    .select(['is_operator as operator', 'suspended_at'])
    .select([
      sql<Count | null>`(select sum(bytes) from recordings where user_id = users.id and has_audio = 1)`.as(
        'storage_bytes',
      ),
      sql<string | null>`(select max(last_used_at) from api_keys where user_id = users.id)`.as('key_used_at'),
      sql<string | null>`(select max(updated_at) from sessions where user_id = users.id)`.as(
        'session_used_at',
      ),
      counted(sql`sessions where user_id = users.id and expires_at > ${now}`).as('sessions'),
      counted(sql`api_keys where user_id = users.id and ${works(now)}`).as('keys'),
    ]);

const counted = (of: RawBuilder<unknown>) => sql<Count>`(select count(*) from ${of})`;
const works = (now: string) => sql`revoked_at is null and (expires_at is null or expires_at > ${now})`;

// The PostgreSQL driver returns counts and sums as text.
function restore(row: Awaited<ReturnType<ReturnType<typeof selectPeople>['execute']>>[number]): Person {
  const { key_used_at, session_used_at, storage_bytes, sessions, keys, ...account } = row;
  const used = [key_used_at, session_used_at].filter((at) => at !== null).sort();
  return {
    ...fromRow(account),
    last_used_at: used.at(-1) ?? null,
    storage_bytes: Number(storage_bytes ?? 0),
    sessions: Number(sessions),
    keys: Number(keys),
  };
}

/** Looks through all names, newest first, because no function of both databases folds an Ä. 1,000 names take about a millisecond. */
async function idsMatching(db: Db, text: string, { limit, after }: PageQuery): Promise<string[]> {
  const wanted = foldText(text);
  const found: string[] = [];
  let from = after;
  while (true) {
    const accounts = await newestFirst(db.selectFrom('users').select(['id', 'email', 'name', 'created_at']), {
      limit: accountsPerRead,
      ...(from && { after: from }),
    }).execute();
    for (const { id, email, name } of accounts)
      if (foldText(`${email ?? ''} ${name}`).includes(wanted) && found.push(id) === limit) return found;
    const last = accounts[accountsPerRead - 1];
    if (!last) return found;
    from = { at: last.created_at, id: last.id };
  }
}
