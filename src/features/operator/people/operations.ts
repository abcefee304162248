import { z } from 'zod';
import { maxEmailLength } from '../../../domain/email.ts';
import { conflict, notFound } from '../../../domain/errors.ts';
import { type Person, person } from '../../../domain/person.ts';
import { planNames } from '../../../domain/plans.ts';
import { maxUserNameLength } from '../../../domain/user.ts';
import type { CommandContext, Context } from '../../../kernel/context.ts';
import { command, list, query } from '../../../kernel/operation.ts';
import { cursor, label, limit, timestamp } from '../../../kernel/schemas.ts';
import { addAccount } from '../../identity/accounts/acts.ts';
import { refuseLastOperator, setSuspended, update } from '../../identity/accounts/queries.ts';
import { removeAccount } from '../../identity/accounts/remove.ts';
import { removeAll } from '../../identity/sessions/queries.ts';
import { createSignInLink } from '../../identity/sessions/sign-in.ts';
import * as queries from './queries.ts';

/** Operators see accounts and how much they hold, but nothing of their content. */
const access = { credential: 'operator' } as const;
const shown = person.meta({ id: 'Person' });
const plan = z.enum(planNames);
const link = z
  .string()
  .nullable()
  .describe(
    'For you to pass on: it signs in as this person, once, within 15 minutes. Null if it was mailed.',
  );

/** Raises `not_found`. */
async function get({ db, now }: Context, id: string): Promise<Person> {
  const found = await queries.find(db, id, now);
  if (!found) throw notFound('Account');
  return found;
}

/** Operators must not lock themselves out. */
function refuseOwn({ who }: Context, id: string): void {
  if (who.userId === id) throw conflict('This is your own account; ask another operator to do this.');
}

/** The address for links in e-mails. Null if nothing is mailed: then operators pass links on themselves. */
const mailedAddress = ({ parts: { config } }: Context) =>
  // Not from the request, where an admin could name any host.
  (config.smtpUrl !== '' && config.publicUrl.replace(/\/+$/, '')) || null;

/** A link signs in as that person, so an operator gets to see one only if it cannot be mailed. */
async function makeLink(context: CommandContext, { id, email }: Pick<Person, 'id' | 'email'>) {
  const { path, expires_at } = await createSignInLink(context, id);
  const address = mailedAddress(context);
  if (address === null || email === null) return { link: context.origin + path, expires_at };
  context.afterCommit(() => context.parts.outbox.post(linkMail(email, address + path)));
  return { link: null, expires_at };
}

export const listPeople = list({
  http: 'GET /api/operator/people',
  summary: 'Accounts, the newest first, with their plan, last use and storage',
  access,
  query: z.object({
    query: z.string().trim().min(1).max(200).optional().describe('A part of the name or the address.'),
    limit: limit(100, 50),
    cursor,
  }),
  items: shown,
  list: 'people',
  limit: [100, 50],
  run: ({ db, now }, { page, query }) => queries.page(db, page, now, query.query),
});

export const addPerson = command({
  http: 'POST /api/operator/people',
  summary: 'Make an account, and tell the person by e-mail',
  access,
  body: z.object({
    name: label(maxUserNameLength),
    email: z.string().max(maxEmailLength),
    plan: plan.exactOptional(),
  }),
  answer: [201, person.extend({ link })],
  errors: ['conflict'],
  audit: ['account.created', 'sign_in_link.made'],
  async run(context, { body }) {
    const { id, email } = await addAccount(context, body);
    const address = mailedAddress(context);
    if (address === null || email === null)
      return { ...(await get(context, id)), link: (await makeLink(context, { id, email: null })).link };
    context.afterCommit(() => context.parts.outbox.post(accountMail(email, address)));
    return { ...(await get(context, id)), link: null };
  },
});

export const getPerson = query({
  http: 'GET /api/operator/people/:id',
  summary: 'An account',
  access,
  answer: shown,
  errors: ['not_found'],
  run: (context, { id }) => get(context, id),
});

export const updatePerson = command({
  http: 'PATCH /api/operator/people/:id',
  summary: 'Change the plan of an account, or suspend it',
  description:
    'A suspended account cannot be used: its sessions and all keys that it made stop with the next call, on all servers. Nothing is deleted, and they work again when it is no longer suspended.',
  access,
  body: z.object({ plan: plan.exactOptional(), suspended: z.boolean().exactOptional() }),
  answer: shown,
  errors: ['not_found', 'conflict'],
  audit: ['account.suspended', 'account.resumed', 'account.changed'],
  async run(context, { id, body: { plan, suspended } }) {
    await get(context, id);
    if (suspended !== undefined) {
      refuseOwn(context, id);
      await setSuspended(context, id, suspended ? context.now : null);
    }
    if (plan !== undefined) await update(context, id, { plan });
    return get(context, id);
  },
});

export const makeSignInLink = command({
  http: 'POST /api/operator/people/:id/sign-in-link',
  summary: 'Send a person a link that signs them in',
  access,
  answer: z.object({ link, expires_at: timestamp }),
  errors: ['not_found', 'conflict'],
  audit: ['sign_in_link.made'],
  async run(context, { id }) {
    const found = await get(context, id);
    if (found.suspended_at !== null) throw conflict('This account is suspended; let it work again first.');
    return makeLink(context, found);
  },
});

export const signPersonOut = command({
  http: 'DELETE /api/operator/people/:id/sessions',
  summary: 'Sign a person out everywhere',
  access,
  answer: 204,
  errors: ['not_found'],
  async run(context, { id }) {
    await get(context, id);
    await removeAll(context.tx, id);
  },
});

export const removePerson = command({
  http: 'DELETE /api/operator/people/:id',
  locks: true,
  summary: 'Delete an account with its personal keys, notes, folders and recordings; there is no way back',
  access,
  answer: 204,
  errors: ['not_found', 'conflict'],
  audit: ['account.removed'],
  async run(context, { id }) {
    refuseOwn(context, id);
    await removeAccount(context, id, () => refuseLastOperator(context.tx, id));
  },
});

const linkMail = (to: string, link: string) => ({
  to,
  subject: 'Sign in to Steno',
  text: `Your Steno operator sends you this link. It signs you in, once, within 15 minutes:\n\n${link}\n\nDo not pass it on.\n`,
});

const accountMail = (to: string, address: string) => ({
  to,
  subject: 'You have an account on Steno',
  text: `An account was made for you. Sign in with this e-mail address:\n\n${address}\n`,
});
