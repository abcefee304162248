import type { NewId } from '../../../lib/uuid.ts';
import type { Tx } from '../../../platform/database/database.ts';
import { codeRequestMemoryMs, codeRequestWait } from './rules.ts';

interface CodeRequest {
  email: string;
  /** The network of the caller. */
  client: string;
  now: number;
  code_hash: string;
  expires_at: string;
}

/** Counts the request and replaces the code of the address. Returns 0, or by how many ms it came too early. */
export async function request(
  tx: Tx,
  newId: NewId,
  { email, client, now, ...code }: CodeRequest,
): Promise<number> {
  const requested_at = new Date(now).toISOString();
  const [byEmail, byClient] = [`email ${email}`, `client ${client}`];
  await forgetRequests(tx, now);
  const wait = codeRequestWait(await requestTimes(tx, byEmail), await requestTimes(tx, byClient), now);
  if (wait > 0) return wait;
  await rememberRequests(tx, newId, [byEmail, byClient], requested_at);
  await tx.deleteFrom('email_codes').where('expires_at', '<=', requested_at).execute();
  const row = { ...code, wrong_tries: 0, created_at: requested_at };
  await tx
    .insertInto('email_codes')
    .values({ email, ...row })
    .onConflict((conflict) => conflict.column('email').doUpdateSet(row))
    .execute();
  return 0;
}

interface Given {
  email: string;
  now: string;
  maxWrongTries: number;
  matches(codeHash: string): boolean;
}

/** `tries`: the number of wrong tries, including tries with a locked code; 0 if there is no code. */
export type Refused = { refused: 'wrong'; tries: number } | { refused: 'expired' };

/** Uses the code up and does `make`, which gives undefined where the code may do nothing. A wrong code counts a try. */
export async function redeem<Made>(
  tx: Tx,
  { email, now, maxWrongTries, matches }: Given,
  make: () => Promise<Made | undefined>,
): Promise<{ made: Made } | Refused> {
  const code = await tx.selectFrom('email_codes').selectAll().where('email', '=', email).executeTakeFirst();
  if (!code) return { refused: 'wrong', tries: 0 };
  if (code.expires_at <= now) return { refused: 'expired' };
  if (code.wrong_tries >= maxWrongTries || !matches(code.code_hash)) {
    const tries = code.wrong_tries + 1;
    // More guesses at a locked code cause no more writes.
    if (code.wrong_tries <= maxWrongTries)
      await tx.updateTable('email_codes').set({ wrong_tries: tries }).where('email', '=', email).execute();
    return { refused: 'wrong', tries };
  }
  await tx.deleteFrom('email_codes').where('email', '=', email).execute();
  const made = await make();
  return made === undefined ? { refused: 'wrong', tries: 0 } : { made };
}

/** Counts codes by address and client, and invitations by address and inviter. */
export async function rememberRequests(
  tx: Tx,
  newId: NewId,
  subjects: readonly string[],
  requested_at: string,
): Promise<void> {
  for (const subject of subjects)
    await tx.insertInto('code_requests').values({ id: newId(), subject, requested_at }).execute();
}

/** Requests that no longer count. Those far in the future come from a wrong clock. */
export async function forgetRequests(tx: Tx, now: number): Promise<void> {
  const before = new Date(now - codeRequestMemoryMs).toISOString();
  const after = new Date(now + codeRequestMemoryMs).toISOString();
  await tx
    .deleteFrom('code_requests')
    .where((eb) => eb.or([eb('requested_at', '<=', before), eb('requested_at', '>', after)]))
    .execute();
}

export async function requestTimes(tx: Tx, subject: string): Promise<number[]> {
  const rows = await tx
    .selectFrom('code_requests')
    .select('requested_at')
    .where('subject', '=', subject)
    .orderBy('requested_at')
    .execute();
  return rows.map((row) => Date.parse(row.requested_at));
}
