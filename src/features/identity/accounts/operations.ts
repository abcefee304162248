import { z } from 'zod';
import { personally } from '../../../domain/access.ts';
import { maxEmailLength, parseEmail } from '../../../domain/email.ts';
import { invalid } from '../../../domain/errors.ts';
import { maxUserNameLength, normalizeEmail, user } from '../../../domain/user.ts';
import { command, stream } from '../../../kernel/operation.ts';
import { label } from '../../../kernel/schemas.ts';
import { codeMail, newCodeFor, redeemCode, refusalOf } from '../codes/codes.ts';
import { findAccount } from './acts.ts';
import { findById, update } from './queries.ts';
import { leaveEverything, removeAccount } from './remove.ts';

const account = user.meta({ id: 'Account' });
const email = z.string().max(maxEmailLength);

export const updateAccount = command({
  http: 'PATCH /api/account',
  summary: 'Change your name',
  access: { credential: 'session' },
  body: z.object({ name: label(maxUserNameLength) }),
  answer: account,
  errors: ['not_found'],
  audit: ['account.changed'],
  run: (context, { body }) => update(context, context.who.userId, body),
});

export const deleteAccount = command({
  http: 'DELETE /api/account',
  locks: true,
  summary: 'Delete your account for good, with everything that is yours alone',
  description:
    'Notes, folders, words, recordings with their audio, keys, sessions, passkeys, app passwords and webhooks go; what is in ' +
    'the spaces of a workspace stays. A workspace without other members goes too. Refused for the last admin of a ' +
    'workspace that has other members, and for the last operator. Make an export first.',
  access: personally,
  body: z.object({
    confirm: z
      .string()
      .max(maxEmailLength)
      .describe('The e-mail address of your account, or its name if it has none.'),
  }),
  answer: 204,
  errors: ['conflict', 'not_found'],
  audit: ['account.removed', 'member.removed', 'workspace.removed'],
  async run(context, { body }) {
    const { userId } = context.who;
    const { email, name } = await findAccount(context, userId);
    if (normalizeEmail(body.confirm) !== normalizeEmail(email ?? name))
      throw invalid(`confirm must be the ${email === null ? 'name' : 'e-mail address'} of your account.`);
    await removeAccount(context, userId, () => leaveEverything(context, userId));
  },
});

export const sendAddressCode = stream({
  http: 'POST /api/account/email-code',
  summary: 'Send a 6-digit code to your new e-mail address',
  access: personally,
  body: z.object({ email }),
  answer: 204,
  async run(context, { body }) {
    const address = parseEmail(body.email);
    const code = await newCodeFor(context, address, context.request.ip);
    context.parts.outbox.post(codeMail(address, code));
  },
});

export const setAddress = stream({
  http: 'POST /api/account/email',
  summary: 'Change your e-mail address, with the code that was sent to it',
  access: personally,
  body: z.object({ email, code: z.string().min(1).max(100) }),
  answer: account,
  errors: ['invalid_code', 'too_many_attempts', 'conflict'],
  audit: ['account.changed'],
  /** Only a person who can read the mail of the address finds out that another account has it. */
  async run(context, { body }) {
    const { db, who, parts } = context;
    const address = parseEmail(body.email);
    const before = await findById(db, who.userId);
    const outcome = await redeemCode(context, address, body.code, (writing) =>
      update(writing, who.userId, { email: address }),
    );
    if ('refused' in outcome) throw refusalOf(outcome);
    if (before?.email && before.email !== address) parts.outbox.post(changedMail(before.email, address));
    return outcome.made;
  },
});

const changedMail = (to: string, address: string) => ({
  to,
  subject: 'The e-mail address of your Steno account has changed',
  text: `You now sign in to your Steno account with ${address}.\n\nIf you did not change the address, tell the operator of the server.\n`,
});
