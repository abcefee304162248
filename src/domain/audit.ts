import { z } from 'zod';
import { id, timestamp } from './fields.ts';

/** Everything that the audit log tells of. */
export const auditActs = [
  'sign_in',
  'sign_in.refused',
  'credential.refused',
  'key.created',
  'key.rotated',
  'key.revoked',
  'grant.made',
  'grant.revoked',
  'passkey.added',
  'passkey.removed',
  'app_password.created',
  'app_password.revoked',
  'account.created',
  'account.changed',
  'account.suspended',
  'account.resumed',
  'account.removed',
  'operator.given',
  'operator.taken',
  'sign_in_link.made',
  'workspace.created',
  'workspace.changed',
  'workspace.removed',
  'member.invited',
  'invitation.revoked',
  'member.added',
  'member.changed',
  'member.removed',
  'policy.changed',
  'space.archived',
  'webhook.created',
  'webhook.changed',
  'webhook.rotated',
  'webhook.removed',
  'export.made',
  'import.made',
  'note.purged',
  'recording.deleted',
  'transcription.deleted',
  'setting.changed',
  'setup.opened',
  'setup.finished',
] as const;
export type AuditAct = (typeof auditActs)[number];
/** Without a person who did it: counted, so that an attacker cannot fill the disk. */
export type RefusedAct = 'sign_in.refused' | 'credential.refused';
export type CountRefusal = (act: RefusedAct, address: string) => void;

/** How a person signed in. */
export type SignInMethod =
  | 'code'
  | 'link'
  | 'invitation'
  | 'agent code'
  | 'oidc'
  | 'passkey'
  | 'app password'
  | 'one-time token';

export const auditEvent = z.object({
  id,
  created_at: timestamp,
  act: z.enum(auditActs),
  actor_id: z.string().nullable().describe('The account that did it; null without a signed-in account.'),
  actor_name: z.string().nullable().describe('The e-mail address or name that it had then.'),
  via: z
    .string()
    .nullable()
    .describe('`session`, `personal key`, `workspace key`, `assistant`, `agent token` or `command line`.'),
  key_id: z.string().nullable(),
  workspace_id: z.string().nullable(),
  subject_id: z.string().nullable().describe('What it was done to.'),
  subject_name: z.string().nullable(),
  detail: z.string().nullable(),
  address: z.string().nullable(),
  request_id: z.string().nullable(),
  times: z.int().describe('More than 1 for refused sign-ins, which are counted by address and hour.'),
});
export type AuditEvent = z.infer<typeof auditEvent>;

/** What a store function tells of an act. Never a text of a note, and never a secret. */
export interface Act {
  readonly act: AuditAct;
  /** If left out, the caller. */
  readonly actor_id?: string;
  readonly workspace_id?: string | null;
  readonly subject_id?: string;
  readonly subject_name?: string | null;
  readonly detail?: string;
}

/** Who acts, and from where. */
export type Circumstances = Pick<
  AuditEvent,
  'created_at' | 'actor_id' | 'via' | 'key_id' | 'address' | 'request_id'
>;

export interface AuditFilter {
  readonly workspaceId?: string | undefined;
  readonly actorId?: string | undefined;
  readonly act?: AuditAct | undefined;
  readonly since?: string | undefined;
  readonly until?: string | undefined;
}
