import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Circumstances, CountRefusal } from '../../domain/audit.ts';
import type { Principal } from '../../domain/principal.ts';

/** When a route that signs people in has answered. Some say what is wrong by sending the browser to a page. */
export const countRefusals =
  ({ audit }: { audit: { refused: CountRefusal } }) =>
  async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const { statusCode } = reply;
    const sendsProblem = String(reply.getHeader('location') ?? '').includes('problem=');
    if (sendsProblem || (statusCode >= 400 && statusCode < 500)) audit.refused('sign_in.refused', request.ip);
  };

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
