import { AppError } from '../../src/domain/errors.ts';
import type { StoredInvitation } from '../../src/domain/invitation.ts';
import { SignInRefusal } from '../../src/features/identity/refusals.ts';
import { join } from '../../src/features/invitations/join.ts';
import * as queries from '../../src/features/invitations/queries.ts';
import { authorize } from '../../src/kernel/authorized.ts';
import type { ActingContext, CommandContext } from '../../src/kernel/context.ts';
import { asProgram } from '../../src/kernel/run.ts';
import { newUuid } from '../../src/lib/uuid.ts';
import type { Database } from '../../src/platform/database/database.ts';
import { testParts } from './parts.ts';

/** Who answers an invitation, named by its id or by the hash of its token. */
interface Recipient {
  invitation: { tokenHash: string } | { id: string };
  userId: string;
  now: string;
}

interface Newcomer {
  token: string;
  /** The address that they come from. */
  client: string;
  now: number;
  acceptsShownLinks: boolean;
}

type Tx = Pick<CommandContext<unknown>, 'db'>;
const refusalOf: Record<string, string> = {
  INVALID_INVITATION: 'not found',
  ACCOUNT_EXISTS: 'has account',
  CODE_REQUIRED: 'needs code',
};

/** Rows of invitations, at the times that a test names. A refusal is a word. */
export function invitationRows(database: Database) {
  const { db } = database;
  const at = (now: number, smtpUrl = ''): ActingContext<unknown> => {
    const parts = testParts(database);
    const config = { ...parts.config, smtpUrl };
    const actor = { database, clock: () => now, newId: newUuid, parts: { ...parts, config } };
    return asProgram<unknown>(actor, null);
  };
  const ofWorkspace = authorize(
    'Invitation',
    async ({ db }: Tx, named: { workspaceId: string; id: string }) => {
      const found = await queries.find(db, named.id);
      return found?.workspace_id === named.workspaceId ? found : undefined;
    },
  );
  const findFor = (on: Tx['db'], { invitation, userId, now }: Recipient) => {
    const named =
      'id' in invitation ? (['id', invitation.id] as const) : (['token_hash', invitation.tokenHash] as const);
    return queries.findFor(on, userId, named, now);
  };
  const received = authorize('Invitation', ({ db }: Tx, recipient: Recipient) => findFor(db, recipient));
  function wordOf(cause: unknown): string | { wait: number } {
    if (cause instanceof SignInRefusal) return refusalOf[cause.code] ?? cause.code;
    if (!(cause instanceof AppError)) throw cause;
    if (cause.code === 'rate_limited') return { wait: (cause.retryAfterSeconds ?? 0) * 1_000 };
    return cause.code === 'conflict' ? 'member already' : 'not found';
  }
  const isWord = (outcome: unknown) => typeof outcome === 'string';
  return {
    invitations: {
      list: (workspaceId: string, now: number) => queries.list(db, workspaceId, new Date(now).toISOString()),
      put: (sent: StoredInvitation, now: number) =>
        at(now)
          .act(async (context) => {
            await queries.insert(context, sent);
            return 'ok';
          })
          .catch(wordOf),
      renew: (workspaceId: string, id: string, changes: Parameters<typeof queries.renew>[2], now: number) =>
        at(now)
          .act(async (context) =>
            queries.renew(context, await ofWorkspace(context, { workspaceId, id }), changes),
          )
          .catch(wordOf),
      remove: async (workspaceId: string, id: string) =>
        !isWord(
          await at(Date.now())
            .act(async (context) => queries.revoke(context, await ofWorkspace(context, { workspaceId, id })))
            .catch(wordOf),
        ),
      listFor: (userId: string, now: string) => queries.listFor(db, userId, now),
      findFor: (recipient: Recipient) => findFor(db, recipient),
      async accept(recipient: Recipient) {
        const accepted = at(Date.parse(recipient.now)).act(async (context) => {
          const found = await received(context, recipient);
          await queries.accept(context, found, recipient.userId);
          return found;
        });
        const found = await accepted.catch(wordOf);
        return typeof found === 'object' && 'workspace' in found ? found.workspace.id : undefined;
      },
      decline: async (recipient: Recipient) =>
        !isWord(
          await at(Date.parse(recipient.now))
            .act(async (context) => queries.remove(context.tx, await received(context, recipient)))
            .catch(wordOf),
        ),
      isInvited: (email: string, now: string) => queries.isInvited(db, email, now),
      findByToken: (tokenHash: string, now: string) => queries.findByToken(db, tokenHash, now),
      join: ({ token, client, now, acceptsShownLinks }: Newcomer) =>
        join(
          at(now, acceptsShownLinks ? '' : 'smtp://127.0.0.1'),
          { token, name: '' },
          { address: client, userAgent: 'test' },
        ).catch(wordOf),
    },
  };
}
