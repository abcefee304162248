import type { PageQuery } from '../domain/page.ts';
import type { Person } from '../domain/person.ts';

/** What operators see of accounts. */
export interface PeopleStore {
  /** The newest first; `matching` is a part of the name or the address. */
  list(page: PageQuery & { now: string; matching?: string | undefined }): Promise<Person[]>;
  find(id: string, now: string): Promise<Person | undefined>;
  /** Null: the account works again. Sign-in links stop for good. `last operator`: nobody else could govern the server. */
  setSuspended(id: string, at: string | null): Promise<'ok' | 'not found' | 'last operator'>;
}
