import type { FastifyPluginAsyncZod } from '@fastify/type-provider-zod';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { personally } from '../../domain/access.ts';
import {
  apiKey,
  type KeyOwner,
  maxActiveKeysPerUser,
  maxAllowedAddresses,
  maxKeyDescriptionLength,
  maxKeyLifetimeDays,
  maxKeyNameLength,
  personalKeysOf,
  workspaceKey,
  workspaceKeysOf,
} from '../../domain/api-key.ts';
import type { Principal } from '../../domain/principal.ts';
import { chosenScopes, workspaceScopes, workspaceWildcard } from '../../domain/scopes.ts';
import { dataOf, graceHours, noContent, pageOf, pathId, timestamp, whole } from '../../kernel/schemas.ts';
import { isNetwork } from '../../lib/network.ts';
import type { Keys } from '../../services/keys.ts';
import { byId, once } from '../idempotency.ts';
import { principalOf } from '../request.ts';

const shownKey = apiKey.meta({ id: 'ApiKey' });
const shownWorkspaceKey = workspaceKey.meta({ id: 'WorkspaceApiKey' });
const keySecret = z.string().describe('The key itself. It is shown only this once.');
const keyName = z.string().trim().min(1).max(maxKeyNameLength);
const scopesFrom = <Name extends string>(names: readonly Name[]) =>
  z
    .array(z.enum(names))
    .min(1)
    .transform((scopes) => [...new Set(scopes)]);
const expiresInDays = z
  .int()
  .min(1)
  .max(maxKeyLifetimeDays)
  .optional()
  .describe('Days until the key expires. If left out, it never expires.');

const allowedAddresses = z
  .array(
    z.string().trim().refine(isNetwork, 'must be an address or a network, like 192.0.2.7 or 2001:db8::/32'),
  )
  .min(1)
  .max(maxAllowedAddresses)
  .nullable()
  .optional()
  .describe('An extension of this server: addresses and networks from which the key works.');
const rotatedKey = { key: keySecret, old_key_expires_at: timestamp };

const forPeopleAndAgents = { access: { credential: 'session or agent' } } as const;
const forPeople = { access: { credential: 'session' } } as const;
/** A new secret outlives the session that made it. */
const makesSecret = { access: personally, idempotent: true } as const;

const reading = (keys: Keys, owner: KeyOwner) => (as: Principal, id: string) =>
  byId(keys.list(as, owner), id);

const ownKeys = (request: FastifyRequest) => personalKeysOf(principalOf(request).userId);

export const keyRoutes =
  (keys: Keys): FastifyPluginAsyncZod =>
  async (app) => {
    app.route({
      method: 'POST',
      url: '/keys/create',
      config: {
        access: { credential: 'session or agent', personally: true },
        idempotent: true,
        errors: ['limit_reached', 'not_found'],
      },
      schema: {
        operationId: 'createKey',
        summary: 'Create a personal key',
        tags: ['Keys'],
        body: z.object({
          name: keyName,
          scopes: scopesFrom(chosenScopes)
            .optional()
            .describe('Default: notes:read, notes:write, transcriptions:read, usage:read.'),
          expires_in_days: expiresInDays,
          allowed_addresses: allowedAddresses,
        }),
        response: { 201: dataOf(apiKey.extend({ key: keySecret })) },
      },
      handler: async (request, reply) =>
        reply.code(201).send({
          data: await once(
            request,
            (as) => keys.issue(as, ownKeys(request), request.body),
            reading(keys, ownKeys(request)),
          ),
        }),
    });

    app.route({
      method: 'GET',
      url: '/keys/list',
      config: forPeopleAndAgents,
      schema: {
        operationId: 'listKeys',
        summary: 'List active personal keys',
        tags: ['Keys'],
        response: {
          200: dataOf(z.object({ keys: z.array(shownKey).meta({ maxItems: maxActiveKeysPerUser }) })),
        },
      },
      handler: async (request) => ({
        data: { keys: await keys.list(principalOf(request), ownKeys(request)) },
      }),
    });

    app.route({
      method: 'POST',
      url: '/keys/:id/revoke',
      config: forPeopleAndAgents,
      schema: {
        operationId: 'revokeKey',
        summary: 'Revoke a personal key; it stops working at once',
        tags: ['Keys'],
        params: pathId,
        response: {
          200: dataOf(z.object({ revoked: z.literal(true) })).extend({ message: z.string() }),
        },
      },
      handler: async (request) => {
        await keys.revoke(principalOf(request), ownKeys(request), request.params.id);
        return { data: { revoked: true as const }, message: 'The key is revoked and no longer works.' };
      },
    });

    app.route({
      method: 'POST',
      url: '/keys/:id/rotate',
      config: makesSecret,
      schema: {
        operationId: 'rotateKey',
        summary: 'Give a personal key a new secret; the old one works for a while',
        description: 'An extension of this server.',
        tags: ['Keys'],
        params: pathId,
        body: graceHours,
        response: { 200: dataOf(apiKey.extend(rotatedKey)) },
      },
      handler: async (request) => ({
        data: await once(
          request,
          (as) => keys.rotate(as, ownKeys(request), request.params.id, request.body.grace_hours),
          reading(keys, ownKeys(request)),
        ),
      }),
    });
  };

export const workspaceKeyRoutes =
  (keys: Keys): FastifyPluginAsyncZod =>
  async (app) => {
    app.route({
      method: 'GET',
      url: '/workspaces/:id/api-keys',
      config: forPeople,
      schema: {
        operationId: 'listWorkspaceKeys',
        summary: 'List the active keys of a workspace',
        tags: ['Workspaces'],
        params: pathId,
        response: { 200: pageOf(shownWorkspaceKey) },
      },
      handler: async (request) => ({
        ...whole,
        data: await keys.list(principalOf(request), workspaceKeysOf(request.params.id)),
      }),
    });

    app.route({
      method: 'POST',
      url: '/workspaces/:id/api-keys',
      config: { ...makesSecret, errors: ['limit_reached'] },
      schema: {
        operationId: 'createWorkspaceKey',
        summary: 'Create a key for the spaces of a workspace',
        tags: ['Workspaces'],
        params: pathId,
        body: z.object({
          name: keyName,
          scopes: scopesFrom([...workspaceScopes, workspaceWildcard]),
          expires_in_days: expiresInDays,
          allowed_addresses: allowedAddresses,
          description: z.string().max(maxKeyDescriptionLength).nullable().optional(),
        }),
        response: { 201: dataOf(workspaceKey.extend({ key: keySecret })) },
      },
      handler: async (request, reply) =>
        reply.code(201).send({
          data: await once(
            request,
            (as) => keys.issue(as, workspaceKeysOf(request.params.id), request.body),
            reading(keys, workspaceKeysOf(request.params.id)),
          ),
        }),
    });

    app.route({
      method: 'POST',
      url: '/workspaces/:id/api-keys/:key_id/rotate',
      config: makesSecret,
      schema: {
        operationId: 'rotateWorkspaceKey',
        summary: 'Give a key of a workspace a new secret; the old one works for a while',
        description: 'An extension of this server.',
        tags: ['Workspaces'],
        params: pathId.extend({ key_id: z.string().toLowerCase() }),
        body: graceHours,
        response: { 200: dataOf(workspaceKey.extend(rotatedKey)) },
      },
      handler: async (request) => ({
        data: await once(
          request,
          (as) =>
            keys.rotate(
              as,
              workspaceKeysOf(request.params.id),
              request.params.key_id,
              request.body.grace_hours,
            ),
          reading(keys, workspaceKeysOf(request.params.id)),
        ),
      }),
    });

    app.route({
      method: 'DELETE',
      url: '/workspaces/:id/api-keys/:key_id',
      config: forPeople,
      schema: {
        operationId: 'revokeWorkspaceKey',
        summary: 'Revoke a key of a workspace; it stops working at once',
        tags: ['Workspaces'],
        params: pathId.extend({ key_id: z.string().toLowerCase() }),
        response: { 204: noContent },
      },
      handler: async (request, reply) => {
        await keys.revoke(principalOf(request), workspaceKeysOf(request.params.id), request.params.key_id);
        return reply.code(204).send();
      },
    });
  };
