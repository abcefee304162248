import type { FastifyPluginAsyncZod } from '@fastify/type-provider-zod';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { anyone, personally } from '../../../domain/access.ts';
import { actingContext } from '../../../kernel/http.ts';
import { timestamp } from '../../../kernel/schemas.ts';
import { deviceOf, personShape, type SignInDoor, sessionShape } from '../door.ts';
import { answerBadInput, SignInRefusal } from '../refusals.ts';
import * as passkeys from './passkeys.ts';
import * as queries from './queries.ts';
import { maxPasskeyNameLength, type RelyingParty, type StoredPasskey } from './schema.ts';

const hide = true;
/** A new key outlives an app password, which also must not lock the person out of the others. */
const own = { access: { credential: 'session' } } as const;
const publicKey = z.literal('public-key');
const bytes = z.string().max(20_000);
const credential = z.object({
  id: z.string().max(1_400),
  rawId: z.string().max(1_400),
  type: publicKey,
  authenticatorAttachment: z.string().max(100).nullish(),
  response: z.looseObject({
    clientDataJSON: bytes,
    attestationObject: bytes.optional(),
    authenticatorData: bytes.optional(),
    signature: bytes.optional(),
  }),
});
const id = z.string().max(100);

/** What browsers take (WebAuthn Level 3, 5.1.8 and 5.1.9). */
const signInOptions = z.object({
  challenge: z.string(),
  timeout: z.number(),
  rpId: z.string(),
  userVerification: z.string(),
});
const registrationOptions = z.object({
  challenge: z.string(),
  rp: z.object({ name: z.string(), id: z.string() }),
  user: z.object({ id: z.string(), name: z.string(), displayName: z.string() }),
  pubKeyCredParams: z.array(z.object({ type: publicKey, alg: z.number() })),
  timeout: z.number(),
  excludeCredentials: z.array(z.object({ type: publicKey, id: z.string(), transports: z.array(z.string()) })),
  authenticatorSelection: z.object({
    residentKey: z.string(),
    requireResidentKey: z.boolean(),
    userVerification: z.string(),
  }),
  attestation: z.string(),
});

/** In the words of better-auth's passkey plug-in; `lastUsedAt` is ours. */
const shownPasskey = z.object({
  id: z.uuid(),
  userId: z.uuid(),
  name: z.string(),
  credentialID: z.string(),
  publicKey: z.string(),
  counter: z.number(),
  deviceType: z.enum(['singleDevice', 'multiDevice']),
  backedUp: z.boolean(),
  transports: z.string(),
  createdAt: timestamp,
  lastUsedAt: timestamp.nullable(),
});

/** Passkeys, on the paths of better-auth's plug-in. */
export const passkeyRoutes =
  (door: SignInDoor): FastifyPluginAsyncZod =>
  async (app) => {
    const { kernel } = door;
    const partyOf = (request: FastifyRequest): RelyingParty => {
      const origin = door.originFor(request);
      return { id: new URL(origin).hostname, origin };
    };

    app.route({
      method: 'GET',
      url: '/passkey/list-user-passkeys',
      config: own,
      schema: { hide, response: { 200: z.array(shownPasskey) } },
      handler: async (request, reply) => {
        const { db, who } = actingContext(request, reply, kernel);
        return (await queries.list(db, who.userId)).map(toShown);
      },
    });

    app.route({
      method: 'GET',
      url: '/passkey/generate-register-options',
      config: { access: personally },
      schema: { hide, response: { 200: registrationOptions } },
      handler: async (request, reply) => {
        reply.header('cache-control', 'no-store');
        return passkeys.registrationOptions(actingContext(request, reply, kernel), partyOf(request));
      },
    });

    app.route({
      method: 'POST',
      url: '/passkey/verify-registration',
      config: { access: personally },
      schema: {
        hide,
        body: z.object({ response: credential, name: z.string().max(maxPasskeyNameLength).default('') }),
        response: { 200: shownPasskey },
      },
      errorHandler: answerBadInput,
      handler: async (request, reply) => {
        const { response: answer, name } = request.body;
        const context = actingContext(request, reply, kernel);
        const outcome = await passkeys.registerPasskey(context, { answer, name }, partyOf(request));
        if ('refused' in outcome) throw new SignInRefusal(codeOf[outcome.refused]);
        return toShown(outcome);
      },
    });

    app.route({
      method: 'GET',
      url: '/passkey/generate-authenticate-options',
      config: { access: anyone },
      schema: { hide, response: { 200: signInOptions } },
      handler: async (request, reply) => {
        reply.header('cache-control', 'no-store');
        return passkeys.signInOptions(actingContext(request, reply, kernel), partyOf(request));
      },
    });

    app.route({
      method: 'POST',
      url: '/passkey/verify-authentication',
      config: { access: anyone, signsIn: true },
      schema: {
        hide,
        body: z.object({ response: credential }),
        response: { 200: z.object({ session: sessionShape, user: personShape }) },
      },
      errorHandler: answerBadInput,
      onRequest: door.ownPagesOnly('cookie', 'origin'),
      handler: async (request, reply) => {
        const context = actingContext(request, reply, kernel);
        const { response } = request.body;
        const signIn = passkeys.signInWithPasskey(context, response, partyOf(request), deviceOf(request));
        return door.letIn(request, reply, await signIn, 'AUTHENTICATION_FAILED');
      },
    });

    app.route({
      method: 'POST',
      url: '/passkey/update-passkey',
      config: { access: personally },
      schema: {
        hide,
        body: z.object({ id, name: z.string().trim().min(1).max(maxPasskeyNameLength) }),
        response: { 200: z.object({ passkey: shownPasskey }) },
      },
      errorHandler: answerBadInput,
      handler: async (request, reply) => {
        const { act, who } = actingContext(request, reply, kernel);
        const { id, name } = request.body;
        const passkey = await act(({ tx }) => queries.rename(tx, who.userId, id, name));
        if (!passkey) throw new SignInRefusal('PASSKEY_NOT_FOUND');
        return { passkey: toShown(passkey) };
      },
    });

    app.route({
      method: 'POST',
      url: '/passkey/delete-passkey',
      config: { access: personally },
      schema: { hide, body: z.object({ id }), response: { 200: z.object({ status: z.literal(true) }) } },
      errorHandler: answerBadInput,
      handler: async (request, reply) => {
        const { act, who } = actingContext(request, reply, kernel);
        if (!(await act((writing) => queries.remove(writing, who.userId, request.body.id))))
          throw new SignInRefusal('PASSKEY_NOT_FOUND');
        return { status: true } as const;
      },
    });
  };

const codeOf = {
  failed: 'FAILED_TO_VERIFY_REGISTRATION',
  known: 'PREVIOUSLY_REGISTERED',
  'too many': 'TOO_MANY_PASSKEYS',
} as const satisfies Record<passkeys.PasskeyRefusal, string>;

const toShown = (stored: StoredPasskey): z.infer<typeof shownPasskey> => ({
  id: stored.id,
  userId: stored.user_id,
  name: stored.name,
  credentialID: stored.credential_id,
  publicKey: stored.public_key,
  counter: stored.counter,
  deviceType: stored.backed_up ? 'multiDevice' : 'singleDevice',
  backedUp: stored.backed_up,
  transports: stored.transports,
  createdAt: stored.created_at,
  lastUsedAt: stored.used_at,
});
