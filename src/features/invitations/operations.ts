import { z } from 'zod';
import { personally } from '../../domain/access.ts';
import { hashSecret } from '../../domain/api-key.ts';
import { maxEmailLength, parseEmail } from '../../domain/email.ts';
import {
  type Invitation,
  invitation,
  invitationLifetimeMs,
  receivedInvitation,
} from '../../domain/invitation.ts';
import { memberRole } from '../../domain/member.ts';
import { newToken } from '../../domain/session.ts';
import { joinedWorkspace } from '../../domain/workspace.ts';
import { authorize } from '../../kernel/authorized.ts';
import type { CommandContext, Context } from '../../kernel/context.ts';
import { command, query, rereadWith, wholeList } from '../../kernel/operation.ts';
import { isoAfter } from '../../lib/clock.ts';
import { isUuid } from '../../lib/uuid.ts';
import * as accounts from '../identity/accounts/queries.ts';
import { requireRole } from '../workspaces/access.ts';
import * as workspaces from '../workspaces/queries.ts';
import { invitationMail } from './mail.ts';
import * as queries from './queries.ts';

const shownInvitation = invitation.meta({ id: 'Invitation' });
const sentInvitation = invitation.extend({
  link: z
    .string()
    .nullable()
    .describe('The link to pass on to the person, shown only this once. null if it was mailed to them.'),
});
const shownReceived = receivedInvitation.meta({ id: 'ReceivedInvitation' });

const access = { credential: 'session' } as const;
const params = z.object({
  token: z.string().describe('What the link ends with, or the id in the list of your invitations.'),
});

/** For admins. */
const ofWorkspace = authorize(
  'Invitation',
  async (context: Context, named: { id: string; invitation_id: string }) => {
    await requireRole(context, named.id, 'admin');
    const found = await queries.find(context.db, named.invitation_id);
    return found?.workspace_id === named.id ? found : undefined;
  },
);

/** An open invitation to the caller's own address, named by its token or id. */
const received = authorize('Invitation', ({ db, who, now }: Context, token: string) =>
  queries.findFor(db, who.userId, isUuid(token) ? ['id', token] : ['token_hash', hashSecret(token)], now),
);

/** A new link, who sends it, and what mails it; without mail, or without an address for links in mails, the admin passes it on. */
async function newLink({ tx, who, now, origin, parts, afterCommit }: CommandContext, workspaceId: string) {
  const { token, token_hash } = newToken('');
  const link = `${origin}/invitations/${token}`;
  // Not the address of the request, where an admin could name any host.
  const isMailed = parts.config.smtpUrl !== '' && parts.config.publicUrl !== '';
  const workspace = await workspaces.find(tx, workspaceId);
  const inviter = await accounts.find(tx, who.userId);
  const names = { workspace: workspace?.name ?? '', inviter: inviter?.name ?? '' };
  return {
    row: {
      token_hash,
      expires_at: isoAfter(now, invitationLifetimeMs),
      invited_by: who.userId,
      mailed: Number(isMailed),
    },
    send(sent: Invitation) {
      if (isMailed) afterCommit(() => parts.outbox.post(invitationMail(sent, names, link)));
      return { ...sent, link: isMailed ? null : link };
    },
  };
}

export const listInvitations = wholeList({
  http: 'GET /api/workspaces/:id/invitations',
  access,
  summary: 'List the unanswered invitations of a workspace, including those that expired in the last 14 days',
  items: shownInvitation,
  async run(context, { id }) {
    await requireRole(context, id, 'admin');
    return queries.list(context.db, id, context.now);
  },
});

/** Addresses with and without an account get the same answer after the same work. */
export const createInvitation = command({
  http: 'POST /api/workspaces/:id/invitations',
  access: personally,
  summary: 'Invite an address to join a workspace, or ask a member to be managed; they must accept first',
  errors: ['conflict'],
  body: z.object({
    email: z.string().max(maxEmailLength),
    role: memberRole.default('member'),
    managed: z.boolean().default(false),
  }),
  answer: [201, sentInvitation],
  audit: ['member.invited'],
  once: rereadWith<z.input<typeof sentInvitation>, 'link'>(
    async (context, id) => {
      const made = await queries.find(context.db, id);
      if (made) await requireRole(context, made.workspace_id, 'admin');
      return made;
    },
    ['link'],
  ),
  async run(context, { id: workspace_id, body: { email, role, managed } }) {
    await requireRole(context, workspace_id, 'admin');
    const { row, send } = await newLink(context, workspace_id);
    const id = context.newId();
    const sent = {
      id,
      workspace_id,
      email: parseEmail(email),
      role,
      managed,
      created_at: context.now,
      ...row,
    };
    await queries.insert(context, sent);
    return send(sent);
  },
});

export const resendInvitation = command({
  http: 'POST /api/workspaces/:id/invitations/:invitation_id/resend',
  access: personally,
  summary: 'Send an invitation again; the new link works for 14 days, the old one stops working',
  answer: sentInvitation,
  audit: ['member.invited'],
  async run(context, named) {
    const found = await ofWorkspace(context, named);
    const { row, send } = await newLink(context, named.id);
    return send(await queries.renew(context, found, row));
  },
});

export const revokeInvitation = command({
  http: 'DELETE /api/workspaces/:id/invitations/:invitation_id',
  access,
  summary: 'Revoke an invitation; its link stops working at once',
  answer: 204,
  audit: ['invitation.revoked'],
  run: async (context, named) => queries.revoke(context, await ofWorkspace(context, named)),
});

export const listReceivedInvitations = wholeList({
  http: 'GET /api/invitations',
  access,
  summary: 'List the invitations to your own address that you have not answered',
  items: shownReceived,
  run: ({ db, who, now }) => queries.listFor(db, who.userId, now),
});

export const getInvitation = query({
  http: 'GET /api/invitations/:token',
  access,
  summary: 'Get an invitation to your own address',
  params,
  answer: shownReceived,
  run: (context, { token }) => received(context, token),
});

export const acceptInvitation = command({
  http: 'POST /api/invitations/:token/accept',
  access,
  summary:
    'Accept an invitation to your own address: join the workspace and, if it says so, be managed by it',
  params,
  answer: joinedWorkspace,
  audit: ['member.added'],
  async run(context, { token }) {
    const { tx, who } = context;
    const found = await received(context, token);
    await queries.accept(context, found, who.userId);
    const joined = await workspaces.joinedBy(tx, who.userId);
    // It was joined above, in this transaction.
    return joined.find(({ id }) => id === found.workspace.id) as (typeof joined)[number];
  },
});

export const declineInvitation = command({
  http: 'POST /api/invitations/:token/decline',
  access,
  summary: 'Decline an invitation to your own address',
  params,
  answer: 204,
  async run(context, { token }) {
    await queries.remove(context.tx, await received(context, token));
  },
});
