import { hashSecret } from '../domain/api-key.ts';
import { parseEmail } from '../domain/email.ts';
import { AppError, notFound } from '../domain/errors.ts';
import {
  type Invitation,
  type InvitationDraft,
  invitationLifetimeMs,
  type ReceivedInvitation,
} from '../domain/invitation.ts';
import type { Principal } from '../domain/principal.ts';
import { newToken } from '../domain/session.ts';
import type { JoinedWorkspace } from '../domain/workspace.ts';
import type { NewId } from '../lib/uuid.ts';
import type { Clock } from '../ports/clock.ts';
import type { Store } from '../ports/store.ts';
import type { Outbox } from './outbox.ts';
import { requireRole } from './roles.ts';

interface Dependencies {
  store: Store;
  clock: Clock;
  newId: NewId;
  outbox: Outbox;
  /** Where the links in mails lead; null: there is no mail, and admins pass the links on themselves. */
  mailedAddress: string | null;
}

/** `link`: for the admin to pass on; null when it was mailed. */
export type SentInvitation = Invitation & { link: string | null };

export type Invitations = ReturnType<typeof createInvitations>;

/** People join a workspace, and are managed by it, only when they accept. Admins invite; the invited address decides. */
export function createInvitations({ store, clock, newId, outbox, mailedAddress }: Dependencies) {
  const recipient = (principal: Principal, token: string) => ({
    tokenHash: hashSecret(token),
    userId: principal.userId,
    now: new Date(clock()).toISOString(),
  });

  /** `origin`: the address of this server as the admin reached it. */
  async function deliver(
    { id, email, role, managed, invited_by, created_at, expires_at }: Invitation,
    token: string,
    { workspaceId, origin }: { workspaceId: string; origin: string },
  ): Promise<SentInvitation> {
    const path = `/invitations/${token}`;
    const shown = { id, email, role, managed, invited_by, created_at, expires_at };
    if (mailedAddress === null) return { ...shown, link: `${origin}${path}` };
    const workspace = await store.workspaces.find(workspaceId);
    const inviter = await store.users.find(invited_by);
    const names = { workspace: workspace?.name ?? '', inviter: inviter?.name ?? '' };
    outbox.post(invitationMail(shown, names, `${mailedAddress}${path}`));
    return { ...shown, link: null };
  }

  return {
    /** Open and expired ones. Admins may. */
    async list(principal: Principal, workspaceId: string): Promise<Invitation[]> {
      await requireRole(store, principal, workspaceId, 'admin');
      return store.invitations.list(workspaceId);
    },

    /**
     * Replaces what the address was sent before. The same answer and the same work whether it has an account or not.
     * Admins may. Raises `validation_error`, `rate_limited`, and `conflict` for a member who would not be asked anything.
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
      const outcome = await store.invitations.put(
        { ...invitation, workspace_id: workspaceId, token_hash },
        at,
      );
      if (outcome === 'member already')
        throw new AppError('conflict', 'This person is already a member of the workspace.');
      if (outcome !== 'ok') throw tooMany(outcome.wait);
      return deliver(invitation, token, { workspaceId, origin });
    },

    /** With a new link, for another 14 days; the link before stops working. Admins may. Raises `not_found`, `rate_limited`. */
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
      const changes = { token_hash, expires_at, invited_by: principal.userId };
      const outcome = await store.invitations.renew(workspaceId, id, changes, at);
      if (outcome === 'not found') throw notFound('Invitation');
      if ('wait' in outcome) throw tooMany(outcome.wait);
      return deliver(outcome, token, { workspaceId, origin });
    },

    /** Admins may. Raises `not_found`. */
    async revoke(principal: Principal, workspaceId: string, id: string): Promise<void> {
      await requireRole(store, principal, workspaceId, 'admin');
      if (!(await store.invitations.remove(workspaceId, id))) throw notFound('Invitation');
    },

    /** Raises `not_found` unless it is open and for the address of the caller; so do the two below. */
    async look(principal: Principal, token: string): Promise<ReceivedInvitation> {
      const found = await store.invitations.findFor(recipient(principal, token));
      if (!found) throw notFound('Invitation');
      return found;
    },

    /** Makes the caller a member and, where the invitation says so, managed. Once. */
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
  };
}

const tooMany = (waitMs: number) =>
  new AppError('rate_limited', 'Too many invitations were sent; wait as long as Retry-After says.', {
    retryAfterSeconds: Math.ceil(waitMs / 1000),
  });

const isManagedText = `The workspace will manage your account: for as long as you are a member, its admins can turn off transcription and
changes to your dictionary and snippets.

`;

/** Names are other people's words, so they get no line of their own and no place in the subject. */
function invitationMail(
  { email, role, managed }: Invitation,
  { workspace, inviter }: { workspace: string; inviter: string },
  link: string,
) {
  const oneLine = (text: string) => text.replaceAll(/\p{Cc}+/gu, ' ');
  return {
    to: email,
    subject: 'You are invited to a workspace on Steno',
    text: `${oneLine(inviter)} invites you to the workspace "${oneLine(workspace)}", as ${role}.

${managed ? isManagedText : ''}Sign in with this address to accept or decline, within 14 days:

${link}

Nothing happens unless you accept, and you can leave at any time.
`,
  };
}
