import { z } from 'zod';
import { personally } from '../../domain/access.ts';
import { maxActiveKeysPerUser, personalKeysOf } from '../../domain/api-key.ts';
import { Answered, type Context } from '../../kernel/context.ts';
import { command, query, rereadWith } from '../../kernel/operation.ts';
import { graceHours } from '../../kernel/schemas.ts';
import * as acts from './acts.ts';
import * as queries from './queries.ts';
import { apiKey, keyDraft, newKey, rotatedKey } from './schema.ts';

type Rotated = z.input<typeof rotatedKey>;

/** Personal keys. An agent that proved an address makes one for its person. */
const access = { credential: 'session or agent' } as const;

const ownKeys = ({ who }: Pick<Context, 'who'>) => personalKeysOf(who.userId);
const find = (context: Context, id: string) =>
  queries.findActive(context.db, ownKeys(context), id, context.now);

export const createKey = command({
  http: 'POST /api/v1/keys/create',
  access: { ...access, personally: true },
  summary: 'Create a personal key',
  errors: ['limit_reached', 'not_found'],
  body: keyDraft,
  answer: [201, newKey],
  audit: ['key.created'],
  once: rereadWith<z.input<typeof newKey>, 'key'>(find, ['key']),
  run: (context, { body }) => acts.issueKey(context, ownKeys(context), body),
});

export const listKeys = query({
  http: 'GET /api/v1/keys/list',
  access,
  summary: 'List active personal keys',
  answer: z.object({ keys: z.array(apiKey).meta({ maxItems: maxActiveKeysPerUser }) }),
  run: async (context) => ({ keys: await acts.listKeys(context, ownKeys(context)) }),
});

export const revokeKey = command({
  http: 'POST /api/v1/keys/:id/revoke',
  access,
  summary: 'Revoke a personal key; it stops working at once',
  answer: z.object({ revoked: z.literal(true) }),
  beside: { message: z.string() },
  audit: ['key.revoked'],
  async run(context, { id }) {
    await acts.revokeKey(context, { owner: ownKeys(context), id });
    const message = 'The key is revoked and no longer works.';
    return new Answered({ revoked: true as const }, { beside: { message } });
  },
});

export const rotateKey = command({
  http: 'POST /api/v1/keys/:id/rotate',
  access: personally,
  summary: 'Give a personal key a new secret; the old one works for a while',
  description: 'An extension of this server.',
  body: graceHours,
  answer: rotatedKey,
  audit: ['key.rotated'],
  once: rereadWith<Rotated, 'key' | 'old_key_expires_at'>(find, ['key', 'old_key_expires_at']),
  run: (context, { id, body }) => acts.rotateKey(context, { owner: ownKeys(context), id }, body.grace_hours),
});
