import { z } from 'zod';
import { personally } from '../../../domain/access.ts';
import { conflict, forbidden, limitReached } from '../../../domain/errors.ts';
import { authorize, type Reach } from '../../../kernel/authorized.ts';
import { command, query, rereadWith } from '../../../kernel/operation.ts';
import { label } from '../../../kernel/schemas.ts';
import { findAccount } from '../accounts/acts.ts';
import * as queries from './queries.ts';
import { appPassword, maxAppPasswordNameLength, maxAppPasswords, newAppPassword } from './schema.ts';

const newPassword = appPassword.extend({
  password: z.string().describe('The password itself. It is shown only this once.'),
});

const find = ({ db, who }: Reach, id: string) => queries.find(db, who.userId, id);
const own = authorize('App password', find);

export const listAppPasswords = query({
  http: 'GET /api/app-passwords',
  summary: 'List your app passwords',
  access: personally,
  answer: z.array(appPassword.meta({ id: 'AppPassword' })).meta({ maxItems: maxAppPasswords }),
  run: ({ db, who }) => queries.list(db, who.userId),
});

export const createAppPassword = command({
  http: 'POST /api/app-passwords',
  summary: 'Create a password for an app that only knows an e-mail address and a password',
  access: personally,
  body: z.object({ name: label(maxAppPasswordNameLength).describe('Which app it is for.') }),
  answer: [201, newPassword],
  errors: ['limit_reached', 'conflict', 'not_found'],
  audit: ['app_password.created'],
  once: rereadWith<z.input<typeof newPassword>, 'password'>(find, ['password']),
  async run(context, { body: { name } }) {
    const { tx, who, now, newId, parts, afterCommit } = context;
    if (parts.config.providerOnly)
      throw forbidden('Here people sign in with the provider of their organisation.');
    const { email } = await findAccount(context, who.userId);
    if (email === null) throw conflict('Your account has no e-mail address to sign in with; add one first.');
    if ((await queries.count(tx, who.userId)) >= maxAppPasswords)
      throw limitReached(`You have ${maxAppPasswords} app passwords, which is the most; revoke one first.`);
    const { password, password_hash } = newAppPassword();
    const made = { id: newId(), name, created_at: now, used_at: null };
    await queries.insert(context, { ...made, user_id: who.userId, password_hash });
    afterCommit(() => parts.outbox.post(addedMail(email)));
    return { ...made, password };
  },
});

export const revokeAppPassword = command({
  http: 'DELETE /api/app-passwords/:id',
  summary: 'Revoke an app password; its sessions end at once',
  access: personally,
  answer: 204,
  audit: ['app_password.revoked'],
  async run(context, { id }) {
    await queries.remove(context, await own(context, id));
  },
});

const addedMail = (to: string) => ({
  to,
  subject: 'A new app password for your account on Steno',
  text: 'An app password was made for your account: an app can now sign in with it.\n\nIf it was not you, revoke it on your account page and end all sessions there.\n',
});
