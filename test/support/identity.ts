import type { Authority } from '../../src/domain/principal.ts';
import type { NewSession } from '../../src/domain/session.ts';
import { AccountSuspended, type User } from '../../src/domain/user.ts';
import * as acts from '../../src/features/identity/accounts/acts.ts';
import * as accounts from '../../src/features/identity/accounts/queries.ts';
import { leaveEverything, removeAccount } from '../../src/features/identity/accounts/remove.ts';
import * as appPasswords from '../../src/features/identity/app-passwords/queries.ts';
import type { StoredAppPassword } from '../../src/features/identity/app-passwords/schema.ts';
import * as codes from '../../src/features/identity/codes/queries.ts';
import * as connect from '../../src/features/identity/oauth/connect.ts';
import * as grants from '../../src/features/identity/oauth/queries.ts';
import * as passkeys from '../../src/features/identity/passkeys/queries.ts';
import * as provider from '../../src/features/identity/provider/queries.ts';
import * as sessions from '../../src/features/identity/sessions/queries.ts';
import { createSignInLink } from '../../src/features/identity/sessions/sign-in.ts';
import * as people from '../../src/features/operator/people/queries.ts';
import { openSetup, setupOwner } from '../../src/features/operator/setup/queries.ts';
import { closeSetup } from '../../src/features/operator/setup/setup.ts';
import { authorize, type Reach } from '../../src/kernel/authorized.ts';
import type { ActingContext, CommandContext } from '../../src/kernel/context.ts';
import { newUuid } from '../../src/lib/uuid.ts';

type Second<Work> = Work extends (first: never, ...rest: infer Rest) => unknown ? Rest : never;

interface Services {
  look(): ActingContext<Authority>;
}

/** What the operator does at the command line, for tests that only need it done. */
export function asOperator({ look }: Services) {
  const write: ActingContext<Authority>['act'] = (work, options) => look().act(work, options);
  return {
    users: {
      find: (named: string) => acts.findAccount(look(), named),
      list: () => accounts.list(look().db),
      add: (draft: acts.UserDraft) => write((context) => acts.addAccount(context, draft)),
      setPlan: (named: string, plan: User['plan']) =>
        write((context) => acts.changeAccount(context, named, { plan })),
      setName: (named: string, name: string) =>
        write((context) => acts.changeAccount(context, named, { name })),
      setEmail: (named: string, email: string) =>
        write((context) => acts.changeAccount(context, named, { email })),
      setOperator: (named: string, isOperator: boolean) =>
        write((context) => acts.setOperator(context, named, isOperator)),
      remove: async (named: string) => {
        const { id } = await acts.findAccount(look(), named);
        return write((context) => removeAccount(context, id), { locks: true });
      },
      createOwner: (options: { opensSetup: boolean }) =>
        write((context) => acts.createOwner(context, options)),
    },
    sessions: {
      createSignInLink: (named: string) =>
        write(async (context) =>
          createSignInLink(context, (await acts.findAccount(context, named.toLowerCase())).id),
        ),
    },
    oauth: {
      register: (...given: Second<typeof connect.register>) => connect.register(look(), ...given),
      revokeByToken: (...given: Second<typeof connect.revokeByToken>) =>
        connect.revokeByToken(look(), ...given),
      tradeCode: (...given: Second<typeof connect.tradeCode>) => connect.tradeCode(look(), ...given),
      forgetOld: () => connect.forgetOldAssistants(look()),
    },
  };
}

type Grant =
  | { kind: 'session'; session: NewSession }
  | { kind: 'agent'; token: { id: string; token_hash: string; expires_at: string } }
  | { kind: 'address'; userId: string };

interface Redemption {
  email: string;
  now: string;
  maxWrongTries: number;
  matches(codeHash: string): boolean;
  grant: Grant;
  newUser: User | null;
}

/** The error's code in place of the error, for tests of refusals. */
const codeOf = (cause: unknown) => {
  const { code, message } = Object(cause);
  if (code === 'not_found') return 'not found' as const;
  if (code === 'conflict' && /last operator/.test(message)) return 'last operator' as const;
  if (code === 'conflict' && /last admin/.test(message))
    return { lastAdminOf: [...message.matchAll(/“([^”]*)”/g)].map(([, name]) => String(name)) };
  if (code === 'conflict') return 'conflict' as const;
  throw cause;
};
const orCode = (work: Promise<unknown>) => work.then(() => 'ok' as const, codeOf);

/** The queries of identity, each that writes in a transaction of its own. */
export function identityStore({ look }: Services) {
  const db = () => look().db;
  const database = () => look().database;
  const write: ActingContext<Authority>['act'] = (work, options) => look().act(work, options);
  const removal = (id: string, leave?: Parameters<typeof removeAccount>[2]) =>
    write((context) => removeAccount(context, id, leave), { locks: true });
  const removed = (work: (context: CommandContext<Authority>) => Promise<void>) =>
    orCode(write(work)).then((outcome) => outcome === 'ok');
  return {
    users: {
      find: (named: string) => accounts.find(db(), named),
      list: () => accounts.list(db()),
      insert: (user: User) => orCode(write((context) => accounts.insert(context, user))),
      insertFirst: async () =>
        (await write((context) => acts.createOwner(context, { opensSetup: false }))) !== undefined,
      update: (id: string, changes: Partial<Omit<User, 'id'>>) =>
        orCode(write((context) => accounts.update(context, id, changes))),
      setOperator: (id: string, isOperator: boolean) =>
        orCode(write((context) => accounts.setOperator(context, id, isOperator))).then(
          (outcome) => outcome === 'ok',
        ),
      remove: (id: string) => orCode(removal(id)).then((outcome) => outcome === 'ok'),
      removeUnlessLastOperator: (id: string) =>
        orCode(
          write((context) => removeAccount(context, id, () => accounts.refuseLastOperator(context.tx, id)), {
            locks: true,
          }),
        ),
      removeOwn: (id: string) =>
        orCode(
          write((context) => removeAccount(context, id, () => leaveEverything(context, id)), {
            locks: true,
          }),
        ),
    },
    people: {
      list: ({
        now,
        matching,
        ...page
      }: Parameters<typeof people.page>[1] & { now: string; matching?: string | undefined }) =>
        people.page(db(), page, now, matching),
      find: (id: string, now: string) => people.find(db(), id, now),
      setSuspended: (id: string, at: string | null) =>
        orCode(write((context) => accounts.setSuspended(context, id, at))),
    },
    sessions: {
      findByHash: (hash: string) => sessions.tokenFinder(database(), 'sessions')(hash),
      findWithUser: (hash: string) => sessions.findWithUser(db(), hash),
      list: (userId: string, now: string) => sessions.list(db(), userId, now),
      extend: (id: string, times: { expires_at: string; updated_at: string }) =>
        write(({ tx }) => sessions.extend(tx, id, times)),
      remove: (userId: string, id: string) =>
        removed(async (context) => {
          const own = authorize('Session', ({ db }: Reach<unknown>, id: string) =>
            sessions.find(db, userId, id),
          );
          await sessions.remove(context.tx, await own(context, id));
        }),
      removeByHash: (hash: string) =>
        write(({ tx }) => sessions.removeByHash(tx, hash, new Date().toISOString())),
      removeAll: (userId: string) => write(({ tx }) => sessions.removeAll(tx, userId)),
    },
    agentTokens: {
      findByHash: (hash: string) => sessions.tokenFinder(database(), 'agent_tokens')(hash),
    },
    signInLinks: {
      insert: (...given: Second<typeof sessions.insertLink>) =>
        write((context) => sessions.insertLink(context, ...given)),
      find: (hash: string, now: string) => sessions.findByLink(db(), hash, now),
      redeem: (...given: Second<typeof sessions.redeemLink>) =>
        write((context) => sessions.redeemLink(context, ...given)),
    },
    emailCodes: {
      request: (asked: Parameters<typeof codes.request>[2]) =>
        write(({ tx }) => codes.request(tx, newUuid, asked)),
      async redeem({ grant, newUser, ...given }: Redemption) {
        const outcome = await write((context) =>
          codes.redeem(context.tx, given, async () => {
            if (grant.kind === 'address')
              return accounts.update(context, grant.userId, { email: given.email });
            const known = await accounts.findByEmail(context.tx, given.email);
            if (!known && newUser) await accounts.insert(context, newUser);
            const user = known ?? newUser;
            if (!user) return undefined;
            const owned = { user_id: user.id, created_at: given.now };
            if (grant.kind === 'session')
              await sessions.insertSession(context, { ...grant.session, user_id: user.id }, 'code');
            else await sessions.insertAgentToken(context, { ...grant.token, ...owned });
            return user;
          }),
        ).catch((cause: unknown) => {
          const code = codeOf(cause);
          return code === 'conflict'
            ? { refused: 'taken' as const }
            : { refused: 'wrong' as const, tries: 0 };
        });
        if ('made' in outcome) return { kind: 'ok', user: outcome.made };
        const { refused: kind, ...rest } = outcome;
        return { kind, ...rest };
      },
    },
    identities: {
      signIn: (...given: Second<typeof provider.signIn>) =>
        write((context) => provider.signIn(context, ...given)),
    },
    passkeys: {
      list: (userId: string) => passkeys.list(db(), userId),
      findByCredential: (id: string) => passkeys.findByCredential(db(), id),
      insert: (...given: Second<typeof passkeys.insert>) =>
        write((context) => passkeys.insert(context, ...given)),
      async signIn(...given: Second<typeof passkeys.signIn>) {
        const outcome = await write((context) => passkeys.signIn(context, ...given));
        if (outcome === 'suspended') throw new AccountSuspended();
        return outcome;
      },
      rename: (...given: Second<typeof passkeys.rename>) => write(({ tx }) => passkeys.rename(tx, ...given)),
      remove: (...given: Second<typeof passkeys.remove>) =>
        write((context) => passkeys.remove(context, ...given)),
    },
    appPasswords: {
      list: (userId: string) => appPasswords.list(db(), userId),
      insert: (made: StoredAppPassword, most = 20, _kept?: object) =>
        write(async (context) => {
          if ((await appPasswords.count(context.tx, made.user_id)) >= most) return 'too many';
          await appPasswords.insert(context, made);
          return 'ok';
        }),
      remove: (userId: string, id: string) =>
        removed(async (context) => {
          const own = authorize('App password', ({ db }: Reach<unknown>, id: string) =>
            appPasswords.find(db, userId, id),
          );
          await appPasswords.remove(context, await own(context, id));
        }),
      signIn: (...given: Second<typeof appPasswords.signIn>) =>
        write((context) => appPasswords.signIn(context, ...given)),
    },
    oauth: {
      addClient: (...given: Second<typeof grants.addClient>) =>
        write(async ({ tx }) => ((await grants.addClient(tx, ...given)) ? 'ok' : 'too many')),
      findClient: (id: string) => grants.findClient(db(), id),
      addGrant: (...given: Second<typeof grants.addGrant>) =>
        write((context) => grants.addGrant(context, ...given)),
      useCode: (...given: Second<typeof grants.useCode>) =>
        write((context) => grants.useCode(context, ...given)),
      refresh: (...given: Second<typeof grants.refresh>) =>
        write((context) => grants.refresh(context, ...given)),
      findByAccess: (hash: string) => grants.findByAccess(db(), hash),
      revokeByToken: (...given: Second<typeof grants.revokeByToken>) =>
        write((context) => grants.revokeByToken(context, ...given)),
      list: (userId: string, now: string) => grants.list(db(), userId, now),
      remove: (userId: string, id: string) =>
        write(async (context) => {
          const found = await grants.find(context.tx, userId, id);
          if (found) await grants.revoke(context, found);
          return found !== undefined;
        }),
      forget: (...given: Second<typeof grants.forget>) => write(({ tx }) => grants.forget(tx, ...given)),
    },
    setup: {
      owner: () => setupOwner(db()),
      open: (userId: string) => write((context) => openSetup(context, userId)),
      close: (finished: Second<typeof closeSetup>[0], save: () => void) =>
        orCode(write((context) => closeSetup(context, finished, save))).then((outcome) => outcome === 'ok'),
    },
  };
}
