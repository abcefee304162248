import { allowsSignUp, parseEmail, type SignUpRule } from '../domain/email.ts';
import { codeLifetimeMs, hashCode, maxWrongTries, newCode, sameHash } from '../domain/email-code.ts';
import { AppError } from '../domain/errors.ts';
import type { PlanName } from '../domain/plans.ts';
import { agentTokenLifetimeMs, newToken } from '../domain/session.ts';
import { nameFrom, type User } from '../domain/user.ts';
import { networkOf } from '../lib/network.ts';
import type { NewId } from '../lib/uuid.ts';
import type { Clock } from '../ports/clock.ts';
import type { CodeRequest } from '../ports/identity-store.ts';
import type { Store } from '../ports/store.ts';
import type { Outbox } from './outbox.ts';

interface Dependencies {
  store: Store;
  clock: Clock;
  newId: NewId;
  outbox: Outbox;
  secret: string;
  signUp: SignUpRule;
  defaultPlan: PlanName;
}

export type EmailCodes = ReturnType<typeof createEmailCodes>;

/** Codes by mail: for people who sign in, and for agents that set themselves up. */
export function createEmailCodes(dependencies: Dependencies) {
  const { store, clock, newId, outbox, secret, signUp, defaultPlan } = dependencies;

  async function request(draft: Omit<CodeRequest, 'now'>): Promise<void> {
    const client = networkOf(draft.client);
    const waitMs = await store.emailCodes.request({ ...draft, client, now: clock() });
    if (waitMs > 0)
      throw new AppError('rate_limited', 'Too many codes were asked for; wait as long as Retry-After says.', {
        retryAfterSeconds: Math.ceil(waitMs / 1000),
      });
  }

  /** Only to people who have an account or may make one; to everyone else nothing is sent and nothing is said. */
  async function mail(email: string, code: string): Promise<void> {
    const user = await store.users.find(email);
    if (user || allowsSignUp(signUp, email)) outbox.post(codeMail(email, code));
  }

  const newUser = (email: string, at: string): User | null =>
    allowsSignUp(signUp, email)
      ? { id: newId(), email, name: nameFrom(email), plan: defaultPlan, created_at: at }
      : null;

  return {
    mail,

    /** Counts a request for a code that someone else keeps. Raises `validation_error` and `rate_limited`. */
    async count(text: string, client: string): Promise<void> {
      await request({ email: parseEmail(text), client, code: null });
    },

    /** The same answer and the same work for known and unknown addresses. Raises `validation_error`, `rate_limited`. */
    async send(text: string, client: string): Promise<void> {
      const email = parseEmail(text);
      const code = newCode();
      const code_hash = hashCode(secret, email, code);
      const expires_at = new Date(clock() + codeLifetimeMs).toISOString();
      await request({ email, client, code: { code_hash, expires_at } });
      await mail(email, code);
    },

    /** Trades a code for an agent token. Raises `validation_error`, `invalid_code` and `too_many_attempts`. */
    async verify(text: string, code: string): Promise<{ token: string; expires_at: string }> {
      const email = parseEmail(text);
      const at = clock();
      const now = new Date(at).toISOString();
      const given = hashCode(secret, email, code);
      const { token, token_hash } = newToken('owt_');
      const expires_at = new Date(at + agentTokenLifetimeMs).toISOString();
      const outcome = await store.emailCodes.redeem({
        email,
        now,
        maxWrongTries,
        matches: (stored) => sameHash(stored, given),
        token: { id: newId(), token_hash, expires_at },
        newUser: newUser(email, now),
      });
      if (outcome === 'wrong')
        throw new AppError('invalid_code', 'This code is wrong or expired; check it or ask for a new one.');
      if (outcome === 'locked')
        throw new AppError('too_many_attempts', 'Too many wrong tries with this code; ask for a new one.');
      return { token, expires_at };
    },
  };
}

const codeMail = (to: string, code: string) => ({
  to,
  subject: `${code} is your Steno code`,
  text: `Your code is ${code}.\n\nIt works once, within 10 minutes. If you did not ask for it, ignore this mail.\n`,
});
