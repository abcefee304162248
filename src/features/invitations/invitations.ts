import { hashSecret } from '../../domain/api-key.ts';
import { parseEmail } from '../../domain/email.ts';
import { AppError, notFound } from '../../domain/errors.ts';
import {
  type Invitation,
  type InvitationDraft,
  invitationLifetimeMs,
  type ReceivedInvitation,
} from '../../domain/invitation.ts';
import type { PlanName } from '../../domain/plans.ts';
import type { Principal } from '../../domain/principal.ts';
import { type Device, newSession, newToken, type SignedIn } from '../../domain/session.ts';
import { nameFrom } from '../../domain/user.ts';
import type { JoinedWorkspace } from '../../domain/workspace.ts';
import type { Clock } from '../../lib/clock.ts';
import { networkOf } from '../../lib/network.ts';
import { isUuid, type NewId } from '../../lib/uuid.ts';
import type { Database } from '../../platform/database/database.ts';
import type { Store } from '../../platform/database/ports/store.ts';
import type { JoinRefusal } from '../../platform/database/ports/workspace-store.ts';
import type { Outbox } from '../../platform/mail/mailer.ts';
import { find } from '../identity/accounts/queries.ts';
import { requireRole } from './roles.ts';

interface Dependencies {
  store: Store;
  database: Database;
  clock: Clock;
  newId: NewId;
  outbox: Outbox;
  /** The address for links in e-mails. Null if there is no e-mail: then admins pass the links on themselves. */
  mailedAddress: string | null;
  /** Whether codes go to people by e-mail. Otherwise they are in the log. */
  sendsMail: boolean;
  defaultPlan: PlanName;
}

/** `link` is for the admin to pass on; null if it was mailed. */
export type SentInvitation = Invitation & { link: string | null };

export type Invitations = ReturnType<typeof createInvitations>;

/** People join a workspace, and are managed by it, only if they accept an invitation of an admin. */
export function createInvitations(dependencies: Dependencies) {
  const { store, database, clock, newId, outbox, mailedAddress, sendsMail, defaultPlan } = dependencies;
  const mailed = mailedAddress === null ? 0 : 1;
  const recipient = (principal: Principal, token: string) => ({
    invitation: isUuid(token) ? { id: token } : { tokenHash: hashSecret(token) },
    userId: principal.userId,
    now: new Date(clock()).toISOString(),
  });

  /** Returns the function that mails the link; undefined if the admin passes it on. */
  async function postbox(principal: Principal, workspaceId: string, token: string) {
    if (mailedAddress === null) return undefined;
    const workspace = await store.workspaces.find(workspaceId);
    const inviter = await find(database.db, principal.userId);
    const names = { workspace: workspace?.name ?? '', inviter: inviter?.name ?? '' };
    const link = linkFor(mailedAddress, token);
    return (invitation: Invitation) => outbox.post(invitationMail(invitation, names, link));
  }

  return {
    /** For admins. Open invitations, and those that expired in the last 14 days. */
    async list(principal: Principal, workspaceId: string): Promise<Invitation[]> {
      await requireRole(store, principal, workspaceId, 'admin');
      return store.invitations.list(workspaceId, clock());
    },

    /** The open invitations to the address of this person. */
    received: (principal: Principal): Promise<ReceivedInvitation[]> =>
      store.invitations.listFor(principal.userId, new Date(clock()).toISOString()),

    /**
     * For admins. Replaces an earlier invitation of the address. Addresses with and without an account get the same answer
     * after the same work. Raises `validation_error`, `rate_limited`, and `conflict` if it would change nothing.
     */
    async create(
      principal: Principal,
      workspaceId: string,
      draft: InvitationDraft,
      origin: string,
    ): Promise<SentInvitation> {
      await requireRole(store, principal, workspaceId, 'admin');
      const { token, token_hash } = newToken('');
      const at = clock();
      const invitation = {
        id: newId(),
        email: parseEmail(draft.email),
        role: draft.role,
        managed: draft.managed,
        invited_by: principal.userId,
        created_at: new Date(at).toISOString(),
        expires_at: new Date(at + invitationLifetimeMs).toISOString(),
      };
      const post = await postbox(principal, workspaceId, token);
      const stored = { ...invitation, workspace_id: workspaceId, token_hash, mailed };
      const link = post ? null : linkFor(origin, token);
      const outcome = await store.invitations.put(stored, at, { link });
      if (outcome === 'member already')
        throw new AppError('conflict', 'This person is already a member of the workspace.');
      if (outcome !== 'ok') throw tooMany(outcome.wait);
      post?.(invitation);
      return { ...invitation, link };
    },

    /** For admins. The new link works for 14 days, the old one stops. Raises `not_found` and `rate_limited`. */
    async resend(
      principal: Principal,
      workspaceId: string,
      id: string,
      origin: string,
    ): Promise<SentInvitation> {
      await requireRole(store, principal, workspaceId, 'admin');
      const { token, token_hash } = newToken('');
      const at = clock();
      const expires_at = new Date(at + invitationLifetimeMs).toISOString();
      const changes = { token_hash, expires_at, mailed, invited_by: principal.userId };
      const post = await postbox(principal, workspaceId, token);
      const outcome = await store.invitations.renew(workspaceId, id, changes, at);
      if (outcome === 'not found') throw notFound('Invitation');
      if ('wait' in outcome) throw tooMany(outcome.wait);
      post?.(outcome);
      const { email, role, managed, invited_by, created_at } = outcome;
      const link = post ? null : linkFor(origin, token);
      return { id, email, role, managed, invited_by, created_at, expires_at, link };
    },

    /** For admins. Raises `not_found`. */
    async revoke(principal: Principal, workspaceId: string, id: string): Promise<void> {
      await requireRole(store, principal, workspaceId, 'admin');
      if (!(await store.invitations.remove(workspaceId, id))) throw notFound('Invitation');
    },

    /** Raises `not_found` unless it is open and for the caller's address, like the two functions below. */
    async look(principal: Principal, token: string): Promise<ReceivedInvitation> {
      const found = await store.invitations.findFor(recipient(principal, token));
      if (!found) throw notFound('Invitation');
      return found;
    },

    /** Works once. Makes the caller a member and, if the invitation says so, a managed member. */
    async accept(principal: Principal, token: string): Promise<JoinedWorkspace> {
      const workspaceId = await store.invitations.accept(recipient(principal, token));
      const joined = await store.workspaces.listJoined(principal.userId);
      const workspace = joined.find(({ id }) => id === workspaceId);
      if (!workspace) throw notFound('Invitation');
      return workspace;
    },

    async decline(principal: Principal, token: string): Promise<void> {
      if (!(await store.invitations.decline(recipient(principal, token)))) throw notFound('Invitation');
    },

    /** For a person with the link, also without an account. Undefined if it does not work. */
    async lookByLink(token: string): Promise<(ReceivedInvitation & { needs_code: boolean }) | undefined> {
      const found = await store.invitations.findByToken(hashSecret(token), new Date(clock()).toISOString());
      return found && { ...found, needs_code: sendsMail && found.mailed === 0 };
    },

    /**
     * Makes the account of the invited address, also where sign-up is closed, and accepts. A mailed link proves the address as a code
     * does. A link that an admin was shown does so only on a server without mail. An address that already has an account is
     * never signed in. Raises `rate_limited`.
     */
    async join(
      token: string,
      name: string,
      device: Device,
    ): Promise<(SignedIn & { workspaceId: string }) | { refused: JoinRefusal }> {
      const now = clock();
      const { token: sessionToken, session } = newSession(newId(), now, device);
      const outcome = await store.invitations.join({
        tokenHash: hashSecret(token),
        client: networkOf(device.address),
        now,
        acceptsShownLinks: !sendsMail,
        session,
        newUser: (email) => ({
          id: newId(),
          email,
          name: name.trim() || nameFrom(email),
          plan: defaultPlan,
          created_at: session.created_at,
        }),
      });
      if (typeof outcome === 'string') return { refused: outcome };
      if ('wait' in outcome) throw tooManyLinks(outcome.wait);
      const { user, workspaceId } = outcome;
      return { token: sessionToken, session: { ...session, user_id: user.id }, user, workspaceId };
    },
  };
}

/** `origin` is the address that the admin used for this server. */
const linkFor = (origin: string, token: string) => `${origin}/invitations/${token}`;

const tooMany = (waitMs: number, what = 'Too many invitations were sent.') =>
  new AppError('rate_limited', `${what} Wait as long as Retry-After says.`, {
    retryAfterSeconds: Math.ceil(waitMs / 1000),
  });
const tooManyLinks = (waitMs: number) => tooMany(waitMs, 'Too many links that do not work.');

const isManagedText = `The workspace will manage your account. While you are a member, its admins can turn off transcription, and
changes to your dictionary and snippets.

`;

/** Other people chose the names, so they must not start a new line or appear in the subject. */
function invitationMail(
  { email, role, managed }: Invitation,
  { workspace, inviter }: { workspace: string; inviter: string },
  link: string,
) {
  const oneLine = (text: string) => text.replaceAll(/\p{Cc}+/gu, ' ');
  return {
    to: email,
    subject: 'You are invited to a workspace on Steno',
    text: `${oneLine(inviter)} invites you to the workspace "${oneLine(workspace)}", with the role ${role}.

${managed ? isManagedText : ''}Within 14 days, accept or decline here. If this address has no account yet, the page makes one:

${link}

Do not pass the link on. Nothing happens unless you accept, and you can leave at any time.
`,
  };
}
