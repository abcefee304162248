import { createHmac } from 'node:crypto';
import { APIError, isAPIError } from 'better-auth/api';
import { betterAuth } from 'better-auth/minimal';
import { bearer } from 'better-auth/plugins/bearer';
import { emailOTP } from 'better-auth/plugins/email-otp';
import { allowsSignUp, type SignUpRule } from '../domain/email.ts';
import { codeLifetimeMs, maxWrongTries, newCode } from '../domain/email-code.ts';
import type { PlanName } from '../domain/plans.ts';
import { cookiePrefix, sessionLifetimeMs } from '../domain/session.ts';
import { maxUserNameLength, nameFrom } from '../domain/user.ts';
import { describeFault, type Log } from '../lib/log.ts';
import type { NewId } from '../lib/uuid.ts';
import type { Clock } from '../ports/clock.ts';
import type { AuthRecords } from '../ports/identity-store.ts';
import type { SignIn } from '../ports/sign-in.ts';
import { recordsAdapter, tokenColumn } from './records-adapter.ts';
import { signInLink } from './sign-in-link.ts';

export interface SignInDependencies {
  records: AuthRecords;
  clock: Clock;
  newId: NewId;
  log: Log;
  secret: string;
  publicUrl: string;
  signUp: SignUpRule;
  defaultPlan: PlanName;
  mailCode(email: string, code: string): Promise<void>;
  redeemLink(token: string): Promise<string | undefined>;
}

const refreshAfterSeconds = 86_400;
/** Set by us on every request, so nobody else's value is believed. */
const clientHeader = 'x-steno-client';
const dates = { createdAt: 'created_at', updatedAt: 'updated_at' } as const;

/** better-auth over our tables. It takes half a second and 50 MB to load, so only its first request loads it. */
export function createSignIn(dependencies: SignInDependencies): SignIn {
  // Whether cookies are marked Secure is fixed per instance.
  const overTls = configure(dependencies, true);
  const plain = configure(dependencies, false);
  return {
    handle(request, { secure, clientAddress }) {
      request.headers.set(clientHeader, clientAddress);
      return (secure ? overTls : plain).handler(request);
    },
  };
}

function configure(dependencies: SignInDependencies, secure: boolean) {
  const { records, clock, newId, log, secret, publicUrl, signUp, defaultPlan } = dependencies;
  return betterAuth({
    basePath: '/api/auth',
    secret,
    trustedOrigins: publicUrl === '' ? [] : [new URL(publicUrl).origin],
    database: recordsAdapter(records, newId),
    telemetry: { enabled: false },
    // Codes are counted per address and client in the database, for all replicas; see services/email-codes.ts.
    rateLimit: { enabled: false },
    logger: { level: 'error', log: (_level, message) => log.warn({ message }, 'sign-in') },
    // What we refused was answered; left to itself the library would also print it to the terminal.
    onAPIError: {
      onError(fault) {
        if (!isAPIError(fault)) log.error({ fault: describeFault(fault) }, 'sign-in');
      },
    },
    advanced: {
      cookiePrefix,
      useSecureCookies: secure,
      // Said outright: left out, the library turns both checks off when NODE_ENV is "test".
      disableCSRFCheck: false,
      disableOriginCheck: false,
      ipAddress: { ipAddressHeaders: [clientHeader] },
    },
    user: {
      modelName: 'users',
      fields: { ...dates, emailVerified: 'email_verified' },
      additionalFields: {
        plan: { type: 'string', required: true, input: false, defaultValue: defaultPlan },
      },
    },
    session: {
      modelName: 'sessions',
      fields: {
        ...dates,
        expiresAt: 'expires_at',
        token: tokenColumn,
        ipAddress: 'ip_address',
        userAgent: 'user_agent',
        userId: 'user_id',
      },
      expiresIn: sessionLifetimeMs / 1000,
      updateAge: refreshAfterSeconds,
    },
    verification: { modelName: 'verifications', fields: { ...dates, expiresAt: 'expires_at' } },
    databaseHooks: {
      user: { create: { before: async (user) => ({ data: admit(user, signUp) }) } },
      session: {
        create: {
          before: async (session) => {
            const now = new Date(clock());
            await records.remove('sessions', [
              { column: 'expires_at', operator: '<', value: now.toISOString(), connector: 'AND' },
            ]);
            const expiresAt = new Date(now.getTime() + sessionLifetimeMs);
            return { data: { ...session, createdAt: now, updatedAt: now, expiresAt } };
          },
        },
      },
    },
    plugins: [
      bearer(),
      emailOTP({
        expiresIn: codeLifetimeMs / 1000,
        allowedAttempts: maxWrongTries,
        generateOTP: newCode,
        storeOTP: { hash: async (code) => createHmac('sha256', secret).update(code).digest('hex') },
        sendVerificationOTP: ({ email, otp }) => dependencies.mailCode(email, otp),
      }),
      signInLink(dependencies.redeemLink),
    ],
  });
}

/** Who proves an address may make an account, if the rule says so. No code is mailed to those it does not let in. */
function admit<NewUser extends { name: string; email: string }>(user: NewUser, signUp: SignUpRule): NewUser {
  if (!allowsSignUp(signUp, user.email)) throw new APIError('BAD_REQUEST', { message: 'Invalid OTP' });
  if (user.name.length > maxUserNameLength)
    throw new APIError('BAD_REQUEST', { message: `name: at most ${maxUserNameLength} characters.` });
  return { ...user, name: user.name === '' ? nameFrom(user.email) : user.name, image: null };
}
