import { allowsSignUp, parseEmail, type SignUpRule } from '../domain/email.ts';
import { codeLifetimeMs, hashCode, maxWrongTries, newCode, sameHash } from '../domain/email-code.ts';
import { AppError } from '../domain/errors.ts';
import type { PlanName } from '../domain/plans.ts';
import type { Principal } from '../domain/principal.ts';
import { agentTokenLifetimeMs, type Device, newSession, newToken, type SignedIn } from '../domain/session.ts';
import { nameFrom, type User } from '../domain/user.ts';
import { networkOf } from '../lib/network.ts';
import type { NewId } from '../lib/uuid.ts';
import type { Clock } from '../ports/clock.ts';
import type { CodeOutcome, CodeRedemption } from '../ports/identity-store.ts';
import type { Outbox } from '../ports/mailer.ts';
import type { Store } from '../ports/store.ts';
import { addressTaken } from './users.ts';

interface Dependencies {
  store: Store;
  clock: Clock;
  newId: NewId;
  outbox: Outbox;
  secret: string;
  signUp: SignUpRule;
  /** People sign in with the provider alone, so codes sign nobody in. */
  providerOnly: boolean;
  defaultPlan: PlanName;
}

export type EmailCodes = ReturnType<typeof createEmailCodes>;

/** Codes by e-mail. A person trades a code for a session, an agent trades it for a token. The codes are the same. */
export function createEmailCodes(dependencies: Dependencies) {
  const { store, clock, newId, outbox, secret, signUp, defaultPlan, providerOnly } = dependencies;

  function requireCodes(): void {
    if (providerOnly)
      throw new AppError(
        'forbidden',
        'This server sends no codes: sign in at its page and make a key there.',
      );
  }

  /** By the operator's rule, or because an admin invites the address: that is asked for every address. */
  async function mayHaveAccount(email: string): Promise<boolean> {
    const isInvited = await store.invitations.isInvited(email, new Date(clock()).toISOString());
    return isInvited || allowsSignUp(signUp, email);
  }

  async function redeem(email: string, code: string, name: string, grant: CodeRedemption['grant']) {
    const now = new Date(clock()).toISOString();
    const given = hashCode(secret, email, code);
    return store.emailCodes.redeem({
      email,
      now,
      maxWrongTries,
      matches: (stored) => sameHash(stored, given),
      grant,
      newUser: (await mayHaveAccount(email))
        ? { id: newId(), email, name: name || nameFrom(email), plan: defaultPlan, created_at: now }
        : null,
    });
  }

  /** A new code for the address; the previous one stops working. Raises `rate_limited`. */
  async function newCodeFor(email: string, client: string): Promise<string> {
    const code = newCode();
    const now = clock();
    const waitMs = await store.emailCodes.request({
      email,
      client: networkOf(client),
      now,
      code_hash: hashCode(secret, email, code),
      expires_at: new Date(now + codeLifetimeMs).toISOString(),
    });
    if (waitMs > 0)
      throw new AppError('rate_limited', 'Too many codes requested. Wait as long as Retry-After says.', {
        retryAfterSeconds: Math.ceil(waitMs / 1000),
      });
    return code;
  }

  return {
    /**
     * Known and unknown addresses get the same answer after the same work. Only people who have an account or may create one
     * get an e-mail. Raises `validation_error`, `rate_limited` and `forbidden`.
     */
    async send(text: string, client: string): Promise<void> {
      requireCodes();
      const email = parseEmail(text);
      const code = await newCodeFor(email, client);
      const user = await store.users.find(email);
      if ((await mayHaveAccount(email)) || user) outbox.post(codeMail(email, code));
    },

    /** To any address that a signed-in person says is theirs. Raises `validation_error` and `rate_limited`. */
    async sendToNewAddress(text: string, client: string): Promise<void> {
      const email = parseEmail(text);
      outbox.post(codeMail(email, await newCodeFor(email, client)));
    },

    /**
     * Gives the address to the caller's account and tells the old address. Raises what `verify` raises, and `conflict` if
     * another account has the address. Only someone who can read its mail finds that out.
     */
    async changeAddress(principal: Principal, text: string, code: string): Promise<User> {
      const email = parseEmail(text);
      const before = await store.users.find(principal.userId);
      const outcome = await redeem(email, code, '', { kind: 'address', userId: principal.userId });
      if (outcome.kind === 'taken') throw addressTaken();
      if (outcome.kind !== 'ok') throw refusalOf(outcome);
      if (before?.email && before.email !== email) outbox.post(changedMail(before.email, email));
      return outcome.user;
    },

    /** Trades a code for an agent token. Raises `validation_error`, `invalid_code` and `too_many_attempts`. */
    async verify(text: string, code: string): Promise<{ token: string; expires_at: string }> {
      requireCodes();
      const { token, token_hash } = newToken('owt_');
      const expires_at = new Date(clock() + agentTokenLifetimeMs).toISOString();
      const grant = { kind: 'agent', token: { id: newId(), token_hash, expires_at } } as const;
      const outcome = await redeem(parseEmail(text), code, '', grant);
      if (outcome.kind === 'ok') return { token, expires_at };
      throw refusalOf(outcome);
    },

    /** Trades a code for a session. `name` is the name of a new account; if empty, it comes from the address. */
    async signIn(
      { email, code, name }: { email: string; code: string; name: string },
      device: Device,
    ): Promise<SignedIn | { refused: 'wrong' | 'expired' | 'locked' }> {
      const { token, session } = newSession(newId(), clock(), device);
      const outcome = await redeem(email.toLowerCase(), code, name, { kind: 'session', session });
      switch (outcome.kind) {
        case 'ok':
          return { token, session: { ...session, user_id: outcome.user.id }, user: outcome.user };
        case 'expired':
        case 'taken':
          return { refused: 'expired' };
        case 'wrong':
          // Clients expect this: `locked` is said once, and after that the code is just wrong.
          return { refused: outcome.tries === maxWrongTries + 1 ? 'locked' : 'wrong' };
      }
    },
  };
}

const refusalOf = (outcome: Exclude<CodeOutcome, { kind: 'ok' }>) =>
  outcome.kind === 'wrong' && outcome.tries >= maxWrongTries
    ? new AppError('too_many_attempts', 'Too many wrong tries with this code; ask for a new one.')
    : new AppError('invalid_code', 'This code is wrong or expired; check it or ask for a new one.');

const changedMail = (to: string, address: string) => ({
  to,
  subject: 'The e-mail address of your Steno account has changed',
  text: `You now sign in to your Steno account with ${address}.\n\nIf you did not change the address, tell whoever runs the server.\n`,
});

const codeMail = (to: string, code: string) => ({
  to,
  subject: `${code} is your Steno code`,
  text: `Your code is ${code}.\n\nIt works once and expires after 10 minutes. If you did not ask for it, ignore this e-mail.\n`,
});
