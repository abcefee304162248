import { allowsSignUp, parseEmail } from '../../../domain/email.ts';
import { AppError, forbidden } from '../../../domain/errors.ts';
import {
  agentTokenLifetimeMs,
  type Device,
  newSession,
  newToken,
  type SignedIn,
} from '../../../domain/session.ts';
import { nameFrom, type User } from '../../../domain/user.ts';
import type { ActingContext, CommandContext, Context, Writing } from '../../../kernel/context.ts';
import { isoAfter } from '../../../lib/clock.ts';
import { networkOf } from '../../../lib/network.ts';
import { isInvited } from '../../invitations/queries.ts';
import { findByEmail, insert } from '../accounts/queries.ts';
import { insertAgentToken, insertSession } from '../sessions/queries.ts';
import * as queries from './queries.ts';
import { codeLifetimeMs, hashCode, maxWrongTries, newCode, sameHash } from './rules.ts';

type Acting = ActingContext<unknown>;

/** Raises `forbidden` where people sign in with the provider alone, so that codes sign no person in. */
function requireCodes({ config }: Acting['parts']): void {
  if (config.providerOnly)
    throw forbidden('This server sends no codes: sign in at its page and make a key there.');
}

/** By the operator's rule, or because an admin invites the address: that is asked for every address. */
async function mayHaveAccount({ db, now, parts }: Context<unknown>, email: string): Promise<boolean> {
  const invited = await isInvited(db, email, now);
  return invited || allowsSignUp(parts.config.signUp, email);
}

/** A new code for the address; the previous one stops working. Raises `rate_limited`. */
export async function newCodeFor(
  { act, now, newId, parts }: Acting,
  email: string,
  client: string,
): Promise<string> {
  const code = newCode();
  const at = Date.parse(now);
  const code_hash = hashCode(await parts.authSecret(), email, code);
  const asked = {
    email,
    client: networkOf(client),
    now: at,
    code_hash,
    expires_at: isoAfter(now, codeLifetimeMs),
  };
  const waitMs = await act(({ tx }) => queries.request(tx, newId, asked));
  if (waitMs > 0)
    throw new AppError('rate_limited', 'Too many codes requested. Wait as long as Retry-After says.', {
      retryAfterSeconds: Math.ceil(waitMs / 1000),
    });
  return code;
}

/** Uses the code up and does `make`. A wrong code counts a try. */
export async function redeemCode<Made>(
  { act, now, parts }: Acting,
  email: string,
  code: string,
  make: (context: CommandContext<unknown>) => Promise<Made | undefined>,
): Promise<{ made: Made } | queries.Refused> {
  const given = hashCode(await parts.authSecret(), email, code);
  const matches = (stored: string) => sameHash(stored, given);
  return act((context) =>
    queries.redeem(context.tx, { email, now, maxWrongTries, matches }, () => make(context)),
  );
}

/** The account of the address, made if it may be; undefined if there is none and there may be none. */
async function accountOf(
  { tx, audit }: Writing,
  email: string,
  draft: User | null,
): Promise<User | undefined> {
  const known = await findByEmail(tx, email);
  if (!known && draft) await insert({ tx, audit }, draft);
  return known ?? draft ?? undefined;
}

const newAccount = async (context: Acting, email: string, name = ''): Promise<User | null> =>
  (await mayHaveAccount(context, email))
    ? {
        id: context.newId(),
        email,
        name: name || nameFrom(email),
        plan: context.parts.config.defaultPlan,
        created_at: context.now,
      }
    : null;

/**
 * Known and unknown addresses get the same answer after the same work. Only people who have an account or may create one
 * get an e-mail. Raises `validation_error`, `rate_limited` and `forbidden`.
 */
export async function sendCode(context: Acting, text: string, client: string): Promise<void> {
  requireCodes(context.parts);
  const email = parseEmail(text);
  const code = await newCodeFor(context, email, client);
  const user = await findByEmail(context.db, email);
  if ((await mayHaveAccount(context, email)) || user) context.parts.outbox.post(codeMail(email, code));
}

/** Trades a code for an agent token. Raises `validation_error`, `invalid_code` and `too_many_attempts`. */
export async function verifyCode(
  context: Acting,
  text: string,
  code: string,
): Promise<{ token: string; expires_at: string }> {
  requireCodes(context.parts);
  const { now, newId } = context;
  const email = parseEmail(text);
  const { token, token_hash } = newToken('owt_');
  const expires_at = isoAfter(now, agentTokenLifetimeMs);
  const draft = await newAccount(context, email);
  const outcome = await redeemCode(context, email, code, async (writing) => {
    const user = await accountOf(writing, email, draft);
    if (!user) return undefined;
    const row = { id: newId(), token_hash, expires_at, user_id: user.id, created_at: now };
    await insertAgentToken(writing, row);
    return user;
  });
  if ('refused' in outcome) throw refusalOf(outcome);
  return { token, expires_at };
}

/** Trades a code for a session. `name` is the name of a new account; if empty, it comes from the address. */
export async function signInWithCode(
  context: Acting,
  { email: text, code, name }: { email: string; code: string; name: string },
  device: Device,
): Promise<SignedIn | { refused: 'wrong' | 'expired' | 'locked' }> {
  const email = text.toLowerCase();
  const { token, session } = newSession(context.newId(), Date.parse(context.now), device);
  const draft = await newAccount(context, email, name);
  const outcome = await redeemCode(context, email, code, async (writing) => {
    const user = await accountOf(writing, email, draft);
    if (user) await insertSession(writing, { ...session, user_id: user.id }, 'code');
    return user;
  });
  if ('made' in outcome)
    return { token, session: { ...session, user_id: outcome.made.id }, user: outcome.made };
  // Clients expect `locked` once; after that the code is just wrong.
  const isLocked = outcome.refused === 'wrong' && outcome.tries === maxWrongTries + 1;
  return { refused: isLocked ? 'locked' : outcome.refused };
}

export const refusalOf = (outcome: queries.Refused) =>
  outcome.refused === 'wrong' && outcome.tries >= maxWrongTries
    ? new AppError('too_many_attempts', 'Too many wrong tries with this code; ask for a new one.')
    : new AppError('invalid_code', 'This code is wrong or expired; check it or ask for a new one.');

export const codeMail = (to: string, code: string) => ({
  to,
  subject: `${code} is your Steno code`,
  text: `Your code is ${code}.\n\nIt works once and expires after 10 minutes. If you did not ask for it, ignore this e-mail.\n`,
});
