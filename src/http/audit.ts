import type { FastifyInstance, FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify';
import type { Circumstances } from '../domain/audit.ts';
import type { Principal } from '../domain/principal.ts';
import type { AuditStore } from '../ports/audit-store.ts';
import type { Clock } from '../ports/clock.ts';
import type { Refused } from '../services/audit.ts';

interface Dependencies {
  log: Pick<AuditStore, 'during'>;
  refused: Refused;
  clock: Clock;
}

/** Names who calls, and from where, to what a request writes into the audit log. Call it before the first route. */
export function traceActs(app: FastifyInstance, { log, refused, clock }: Dependencies): void {
  // Before the handler and not before: reading a body leaves the context in which it was begun.
  const preHandler = (request: FastifyRequest, _: FastifyReply, done: HookHandlerDoneFunction) =>
    log.during(() => circumstances(request, clock()), done);

  async function onResponse(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const { statusCode } = reply;
    const isTold = String(reply.getHeader('location') ?? '').includes('problem=');
    if (isTold || (statusCode >= 400 && statusCode < 500)) refused('sign_in.refused', request.ip);
  }

  app.addHook('onRoute', (route) => {
    const { signsIn, reads } = { reads: route.method === 'GET' || route.method === 'HEAD', ...route.config };
    if (reads && !signsIn && !route.config?.audited) return;
    Object.assign(route, {
      preHandler: [preHandler, ...[route.preHandler ?? []].flat()],
      ...(signsIn && { onResponse: [onResponse, ...[route.onResponse ?? []].flat()] }),
    });
  });
}

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
