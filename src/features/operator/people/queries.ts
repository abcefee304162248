import { sql } from 'kysely';
import type { PageQuery } from '../../../domain/page.ts';
import { type Person, person } from '../../../domain/person.ts';
import { foldText } from '../../../lib/text.ts';
import { counted } from '../../../platform/database/count.ts';
import type { Db } from '../../../platform/database/database.ts';
import { keyWorks } from '../../../platform/database/keys.ts';
import { newestFirst } from '../../../platform/database/page.ts';
import { rowsOf } from '../../../platform/database/schema.ts';
import { userColumns } from '../../identity/accounts/queries.ts';

const { fromRow } = rowsOf(person);
const accountsPerRead = 1_000;

/** The newest first; `matching` is a part of the name or the address. */
export async function page(
  db: Db,
  page: PageQuery,
  now: string,
  matching: string | undefined,
): Promise<Person[]> {
  const all = selectPeople(db, now);
  const rows =
    matching === undefined
      ? await newestFirst(all, page).execute()
      : await newestFirst(all.where('id', 'in', await idsMatching(db, matching, page)), {
          limit: page.limit,
        }).execute();
  return rows.map(restore);
}

export async function find(db: Db, id: string, now: string): Promise<Person | undefined> {
  const row = await selectPeople(db, now).where('id', '=', id).executeTakeFirst();
  return row && restore(row);
}

/** By the indexes of one person, so a page costs the same however many people there are. */
const selectPeople = (db: Db, now: string) =>
  db
    .selectFrom('users')
    .select(userColumns)
    .select(['is_operator as operator', 'suspended_at'])
    .select([
      sql<number>`coalesce((select sum(bytes) from recordings where user_id = users.id and has_audio = 1), 0)`.as(
        'storage_bytes',
      ),
      sql<string | null>`(select max(last_used_at) from api_keys where user_id = users.id)`.as('key_used_at'),
      sql<string | null>`(select last_at from visits where user_id = users.id)`.as('visited_at'),
      counted(sql`sessions where user_id = users.id and expires_at > ${now}`).as('sessions'),
      counted(sql`api_keys where user_id = users.id and ${keyWorks(now)}`).as('keys'),
    ]);

function restore(row: Awaited<ReturnType<ReturnType<typeof selectPeople>['execute']>>[number]): Person {
  const { key_used_at, visited_at, ...account } = row;
  const used = [key_used_at, visited_at].filter((at) => at !== null).sort();
  return { ...fromRow(account), last_used_at: used.at(-1) ?? null };
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
