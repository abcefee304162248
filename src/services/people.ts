import { AppError, notFound } from '../domain/errors.ts';
import { type Page, type PageOptions, pageQuery, toPage } from '../domain/page.ts';
import type { Person } from '../domain/person.ts';
import type { PlanName } from '../domain/plans.ts';
import type { Principal } from '../domain/principal.ts';
import type { Clock } from '../ports/clock.ts';
import type { Outbox } from '../ports/mailer.ts';
import type { Store } from '../ports/store.ts';
import type { Sessions } from './sessions.ts';
import type { UserDraft, Users } from './users.ts';

interface Dependencies {
  store: Store;
  clock: Clock;
  users: Users;
  sessions: Sessions;
  outbox: Outbox;
  /** The address for links in e-mails. Null if nothing is mailed: then operators pass links on themselves. */
  mailedAddress: string | null;
}

/** `link` is for the operator to pass on; null if it was mailed. */
export type MadeLink = { link: string | null; expires_at: string };
export type People = ReturnType<typeof createPeople>;

/** For signed-in operators, who see accounts and what they hold, but nothing of their content. */
export function createPeople(dependencies: Dependencies) {
  const { store, clock, users, sessions, outbox, mailedAddress } = dependencies;
  const now = () => new Date(clock()).toISOString();

  async function get(id: string): Promise<Person> {
    const person = await store.people.find(id, now());
    if (!person) throw notFound('Account');
    return person;
  }

  /** Operators must not lock themselves out. */
  function refuseOwn({ userId }: Principal, id: string): void {
    if (userId === id)
      throw new AppError('conflict', 'This is your own account; ask another operator to do this.');
  }

  function refuseLast(outcome: 'ok' | 'not found' | 'last operator'): void {
    if (outcome === 'not found') throw notFound('Account');
    if (outcome === 'last operator')
      throw new AppError('conflict', 'This is the last operator of the server; make another one first.');
  }

  /** A link signs in as that person, so an operator gets to see one only if it cannot be mailed. */
  async function makeLink({ id, email }: Pick<Person, 'id' | 'email'>, origin: string): Promise<MadeLink> {
    const { path, expires_at } = await sessions.createSignInLink(id);
    if (mailedAddress === null || email === null) return { link: origin + path, expires_at };
    outbox.post(linkMail(email, mailedAddress + path));
    return { link: null, expires_at };
  }

  return {
    get,

    async list(options: PageOptions & { query?: string | undefined }): Promise<Page<Person>> {
      const page = pageQuery('people', options);
      return toPage(
        'people',
        await store.people.list({ ...page, now: now(), matching: options.query }),
        options.limit,
      );
    },

    /** Makes an account. Raises `validation_error` and `conflict`, as `users.add` does. */
    async invite(
      draft: UserDraft & { email: string },
      origin: string,
    ): Promise<Person & { link: string | null }> {
      const { id, email } = await users.add(draft);
      if (mailedAddress === null || email === null)
        return { ...(await get(id)), link: (await makeLink({ id, email: null }, origin)).link };
      outbox.post(accountMail(email, mailedAddress));
      return { ...(await get(id)), link: null };
    },

    /** Changes the plan, suspends the account or lets it work again. Raises `not_found`, and `conflict` for one's own and the last operator's. */
    async change(
      principal: Principal,
      id: string,
      { plan, suspended }: { plan?: PlanName | undefined; suspended?: boolean | undefined },
    ): Promise<Person> {
      await get(id);
      if (suspended !== undefined) {
        refuseOwn(principal, id);
        refuseLast(await store.people.setSuspended(id, suspended ? now() : null));
      }
      if (plan !== undefined) await users.setPlan(id, plan);
      return get(id);
    },

    /** Raises `not_found`, and `conflict` for a suspended account. */
    async signInLink(id: string, origin: string): Promise<MadeLink> {
      const person = await get(id);
      if (person.suspended_at !== null)
        throw new AppError('conflict', 'This account is suspended; let it work again first.');
      return makeLink(person, origin);
    },

    /** Raises `not_found`. */
    async signOut(id: string): Promise<void> {
      await get(id);
      await store.sessions.removeAll(id);
    },

    /** Deletes the account with everything personal. Raises `not_found`, and `conflict` for one's own and the last operator's. */
    async remove(principal: Principal, id: string): Promise<void> {
      refuseOwn(principal, id);
      refuseLast(await users.removeUnlessLastOperator(id));
    },
  };
}

const linkMail = (to: string, link: string) => ({
  to,
  subject: 'Sign in to Steno',
  text: `Whoever runs your Steno server sends you this link. It signs you in, once, within 15 minutes:\n\n${link}\n\nDo not pass it on.\n`,
});

const accountMail = (to: string, address: string) => ({
  to,
  subject: 'You have an account on Steno',
  text: `An account was made for you. Sign in with this e-mail address:\n\n${address}\n`,
});
