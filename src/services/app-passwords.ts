import {
  type AppPassword,
  hashAppPassword,
  maxAppPasswords,
  newAppPassword,
} from '../domain/app-password.ts';
import { AppError, notFound } from '../domain/errors.ts';
import type { Principal } from '../domain/principal.ts';
import { type Device, newSession, type SignedIn } from '../domain/session.ts';
import { normalizeEmail } from '../domain/user.ts';
import type { NewId } from '../lib/uuid.ts';
import type { Clock } from '../ports/clock.ts';
import type { Outbox } from '../ports/mailer.ts';
import type { Store } from '../ports/store.ts';

interface Dependencies {
  store: Pick<Store, 'appPasswords' | 'users'>;
  clock: Clock;
  newId: NewId;
  outbox: Outbox;
  /** People sign in with the provider alone, so no password is made or taken. */
  providerOnly: boolean;
}

export type AppPasswords = ReturnType<typeof createAppPasswords>;

/** For apps that only know an e-mail address and a password. */
export function createAppPasswords({ store, clock, newId, outbox, providerOnly }: Dependencies) {
  return {
    list: ({ userId }: Principal): Promise<AppPassword[]> => store.appPasswords.list(userId),

    /** The password is in this answer and nowhere else. Raises `limit_reached`, `conflict` and `forbidden`. */
    async create({ userId }: Principal, name: string): Promise<AppPassword & { password: string }> {
      if (providerOnly)
        throw new AppError('forbidden', 'Here people sign in with the provider of their organisation.');
      const user = await store.users.find(userId);
      if (!user) throw notFound('User');
      if (user.email === null)
        throw new AppError('conflict', 'Your account has no e-mail address to sign in with; add one first.');
      const { password, password_hash } = newAppPassword();
      const made = { id: newId(), name, created_at: new Date(clock()).toISOString(), used_at: null };
      const stored = { ...made, user_id: userId, password_hash };
      if ((await store.appPasswords.insert(stored, maxAppPasswords, { password })) === 'too many')
        throw new AppError(
          'limit_reached',
          `You have ${maxAppPasswords} app passwords, which is the most; revoke one first.`,
        );
      outbox.post(addedMail(user.email));
      return { ...made, password };
    },

    /** Ends the sessions that began with it. Raises `not_found` for one of somebody else. */
    async revoke({ userId }: Principal, id: string): Promise<void> {
      if (!(await store.appPasswords.remove(userId, id))) throw notFound('App password');
    },

    /** Undefined if it is not the password of this address, after the same work whether there is an account or not. */
    async signIn(
      { email, password }: { email: string; password: string },
      device: Device,
    ): Promise<SignedIn | undefined> {
      const { token, session } = newSession(newId(), clock(), device);
      const given = { email: normalizeEmail(email), password_hash: hashAppPassword(password) };
      const found = await store.appPasswords.signIn(given, session);
      return found && { token, ...found };
    },
  };
}

const addedMail = (to: string) => ({
  to,
  subject: 'A new app password for your account on Steno',
  text: 'An app password was made for your account: an app can now sign in with it.\n\nIf it was not you, revoke it on your account page and end all sessions there.\n',
});
