import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { personally } from '../../../domain/access.ts';
import { timestamp } from '../../../kernel/schemas.ts';
import { deviceOf, type SignInDoor, signedInShape } from '../door.ts';
import { SignInRefusal } from '../refusals.ts';
import * as passkeys from './passkeys.ts';
import * as queries from './queries.ts';
import { maxPasskeyNameLength, type RelyingParty, type StoredPasskey } from './schema.ts';

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
export function passkeyRoutes(door: SignInDoor) {
  const partyOf = (request: FastifyRequest): RelyingParty => {
    const origin = door.originFor(request);
    return { id: new URL(origin).hostname, origin };
  };

  return [
    door.route({
      http: 'GET /passkey/list-user-passkeys',
      access: { credential: 'session' },
      answer: z.array(shownPasskey),
      run: async ({ db, who }) => (await queries.list(db, who.userId)).map(toShown),
    }),

    // A new key outlives an app password, which also must not lock the person out of the others.
    door.route({
      http: 'GET /passkey/generate-register-options',
      access: personally,
      answer: registrationOptions,
      run: (context, { request }) => passkeys.registrationOptions(context, partyOf(request)),
    }),

    door.route({
      http: 'POST /passkey/verify-registration',
      access: personally,
      body: z.object({ response: credential, name: z.string().max(maxPasskeyNameLength).default('') }),
      answer: shownPasskey,
      async run(context, { request, body: { response: answer, name } }) {
        const outcome = await passkeys.registerPasskey(context, { answer, name }, partyOf(request));
        if ('refused' in outcome) throw new SignInRefusal(codeOf[outcome.refused]);
        return toShown(outcome);
      },
    }),

    door.route({
      http: 'GET /passkey/generate-authenticate-options',
      answer: signInOptions,
      run: (context, { request }) => passkeys.signInOptions(context, partyOf(request)),
    }),

    door.route({
      http: 'POST /passkey/verify-authentication',
      body: z.object({ response: credential }),
      answer: signedInShape,
      ownPages: ['cookie', 'origin'],
      wire: { signsIn: true },
      async run(context, { request, reply, body: { response } }) {
        const signIn = passkeys.signInWithPasskey(context, response, partyOf(request), deviceOf(request));
        return door.letIn(request, reply, await signIn, 'AUTHENTICATION_FAILED');
      },
    }),

    door.route({
      http: 'POST /passkey/update-passkey',
      access: personally,
      body: z.object({ id, name: z.string().trim().min(1).max(maxPasskeyNameLength) }),
      answer: z.object({ passkey: shownPasskey }),
      async run({ act, who }, { body: { id, name } }) {
        const passkey = await act(({ tx }) => queries.rename(tx, who.userId, id, name));
        if (!passkey) throw new SignInRefusal('PASSKEY_NOT_FOUND');
        return { passkey: toShown(passkey) };
      },
    }),

    door.route({
      http: 'POST /passkey/delete-passkey',
      access: personally,
      body: z.object({ id }),
      answer: z.object({ status: z.literal(true) }),
      async run({ act, who }, { body: { id } }) {
        if (!(await act((writing) => queries.remove(writing, who.userId, id))))
          throw new SignInRefusal('PASSKEY_NOT_FOUND');
        return { status: true } as const;
      },
    }),
  ];
}

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
