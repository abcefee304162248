import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify';
import type { Circumstances, CountRefusal } from '../../domain/audit.ts';
import type { Principal } from '../../domain/principal.ts';
import type { Clock } from '../../lib/clock.ts';
import type { AuditStore } from '../database/ports/audit-store.ts';

interface Dependencies {
  auditLog: Pick<AuditStore, 'during'>;
  audit: { refused: CountRefusal };
  clock: Clock;
}

/** The hooks that give the entries of a request in the audit log its caller and address. */
export const actTrace = ({ auditLog, audit, clock }: Dependencies) => ({
  /** Immediately before the handler: reading a body leaves the context in which it was begun. */
  begin: (request: FastifyRequest, _: FastifyReply, done: HookHandlerDoneFunction) =>
    auditLog.during(() => circumstances(request, clock()), done),

  /** When a route that signs people in has answered. Some say what is wrong by sending the browser to a page. */
  async countRefusal(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const { statusCode } = reply;
    const sendsProblem = String(reply.getHeader('location') ?? '').includes('problem=');
    if (sendsProblem || (statusCode >= 400 && statusCode < 500)) audit.refused('sign_in.refused', request.ip);
  },
});

const viaOf = {
  session: 'session',
  personal: 'personal key',
  workspace: 'workspace key',
  agent: 'agent token',
} as const satisfies Record<Principal['kind'], string>;

/** Who sends this request, and from where. */
export const circumstances = ({ principal, ip, id }: FastifyRequest, now: number): Circumstances => ({
  created_at: new Date(now).toISOString(),
  actor_id: principal?.userId ?? null,
  via: principal && ('isGrant' in principal ? 'assistant' : viaOf[principal.kind]),
  key_id: principal?.key?.id ?? null,
  address: ip,
  request_id: id,
});
