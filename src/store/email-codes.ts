import { codeRequestMemoryMs, codeRequestWait } from '../domain/email-code.ts';
import type { NewId } from '../lib/uuid.ts';
import type { CodeOutcome, CodeRedemption, EmailCodeStore } from '../ports/identity-store.ts';
import { type Recorder, type SignInTrace, tracedSignIn } from './audit.ts';
import type { Database, Db } from './database.ts';
import { insertAgentToken, insertSession } from './sessions.ts';
import { insertUser, updateUser, userColumns } from './users.ts';

export function createEmailCodeStore(database: Database, newId: NewId): EmailCodeStore {
  return {
    request({ email, client, now, ...code }) {
      const requested_at = new Date(now).toISOString();
      const subjects = [`email ${email}`, `client ${client}`] as const;
      return database.write(async (trx) => {
        await forgetRequests(trx, now);
        const wait = codeRequestWait(
          await requestTimes(trx, subjects[0]),
          await requestTimes(trx, subjects[1]),
          now,
        );
        if (wait > 0) return wait;
        await rememberRequests(trx, newId, subjects, requested_at);
        await trx.deleteFrom('email_codes').where('expires_at', '<=', requested_at).execute();
        const row = { ...code, wrong_tries: 0, created_at: requested_at };
        await trx
          .insertInto('email_codes')
          .values({ email, ...row })
          .onConflict((conflict) => conflict.column('email').doUpdateSet(row))
          .execute();
        return 0;
      });
    },

    redeem(redemption) {
      const signIn = tracedSignIn(redemption.grant.kind === 'agent' ? 'agent code' : 'code');
      return database.write<CodeOutcome>(async (trx) => {
        const { email, now, maxWrongTries } = redemption;
        const code = await trx
          .selectFrom('email_codes')
          .selectAll()
          .where('email', '=', email)
          .executeTakeFirst();
        if (!code) return { kind: 'wrong', tries: 0 };
        if (code.expires_at <= now) return { kind: 'expired' };
        const isLocked = code.wrong_tries >= maxWrongTries;
        if (isLocked || !redemption.matches(code.code_hash)) {
          const tries = code.wrong_tries + 1;
          // More guesses at a locked code cause no more writes.
          if (code.wrong_tries <= maxWrongTries)
            await trx
              .updateTable('email_codes')
              .set({ wrong_tries: tries })
              .where('email', '=', email)
              .execute();
          return { kind: 'wrong', tries };
        }
        await trx.deleteFrom('email_codes').where('email', '=', email).execute();
        return issue(trx, redemption, signIn);
      });
    },
  };
}

async function issue(
  trx: Db,
  { email, now, grant, newUser }: CodeRedemption,
  signIn: SignInTrace,
): Promise<CodeOutcome> {
  if (grant.kind === 'address') return giveAddress(trx, email, grant.userId, signIn.record);
  const known = await trx
    .selectFrom('users')
    .select(userColumns)
    .where('email', '=', email)
    .executeTakeFirst();
  if (!known && newUser) await insertUser(trx, newUser, signIn.record);
  const user = known ?? newUser;
  if (!user) return { kind: 'wrong', tries: 0 };
  if (grant.kind === 'session') await insertSession(trx, { ...grant.session, user_id: user.id }, signIn);
  else await insertAgentToken(trx, { ...grant.token, user_id: user.id, created_at: now }, signIn);
  return { kind: 'ok', user };
}

async function giveAddress(trx: Db, email: string, userId: string, record: Recorder): Promise<CodeOutcome> {
  if ((await updateUser(trx, userId, { email }, record)) === 'conflict') return { kind: 'taken' };
  const user = await trx.selectFrom('users').select(userColumns).where('id', '=', userId).executeTakeFirst();
  return user ? { kind: 'ok', user } : { kind: 'wrong', tries: 0 };
}

/** Inside a write. Counts codes by address and client, and invitations by address and inviter. */
export async function rememberRequests(
  trx: Db,
  newId: NewId,
  subjects: readonly string[],
  requested_at: string,
): Promise<void> {
  for (const subject of subjects)
    await trx.insertInto('code_requests').values({ id: newId(), subject, requested_at }).execute();
}

/** Requests that no longer count. Those far in the future come from a wrong clock. */
export async function forgetRequests(trx: Db, now: number): Promise<void> {
  const before = new Date(now - codeRequestMemoryMs).toISOString();
  const after = new Date(now + codeRequestMemoryMs).toISOString();
  await trx
    .deleteFrom('code_requests')
    .where((eb) => eb.or([eb('requested_at', '<=', before), eb('requested_at', '>', after)]))
    .execute();
}

export async function requestTimes(trx: Db, subject: string): Promise<number[]> {
  const rows = await trx
    .selectFrom('code_requests')
    .select('requested_at')
    .where('subject', '=', subject)
    .orderBy('requested_at')
    .execute();
  return rows.map((row) => Date.parse(row.requested_at));
}
