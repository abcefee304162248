import { hashSecret } from '../../domain/api-key.ts';
import { maxWrongLinksPerClientAndHour } from '../../domain/invitation.ts';
import { type Device, newSession, type SignedIn } from '../../domain/session.ts';
import { nameFrom } from '../../domain/user.ts';
import { authorize } from '../../kernel/authorized.ts';
import type { ActingContext } from '../../kernel/context.ts';
import { networkOf } from '../../lib/network.ts';
import { findByEmail, insert } from '../identity/accounts/queries.ts';
import { forgetRequests, rememberRequests, requestTimes } from '../identity/codes/queries.ts';
import { waitForRoom } from '../identity/codes/rules.ts';
import { SignInRefusal } from '../identity/refusals.ts';
import { insertSession } from '../identity/sessions/queries.ts';
import * as queries from './queries.ts';

type Acting = ActingContext<unknown>;

/** What a person without an account can do, who has the link. */
const byLink = authorize(
  () => new SignInRefusal('INVALID_INVITATION'),
  ({ db, now }: Pick<Acting, 'db' | 'now'>, token: string) => queries.findByToken(db, hashSecret(token), now),
);

/** Whether codes go to people by e-mail. Otherwise they are in the log. */
const sendsMail = ({ parts }: Pick<Acting, 'parts'>) => parts.config.smtpUrl !== '';

export async function lookAtLink(context: Acting, token: string) {
  const found = await byLink(context, token);
  return { ...found, needs_code: sendsMail(context) && found.mailed === 0 };
}

/**
 * Makes the account of the invited address, also where sign-up is closed, and accepts. A mailed link proves the address as a code
 * does. A link that an admin was shown does so only on a server without mail. An address that already has an account is
 * never signed in. Raises `rate_limited`.
 */
export async function join(
  context: Acting,
  { token, name }: { token: string; name: string },
  device: Device,
): Promise<SignedIn & { workspaceId: string }> {
  const { act, now, newId, parts } = context;
  const at = Date.parse(now);
  const wrongLinks = `wrong links ${networkOf(device.address)}`;
  const { token: sessionToken, session } = newSession(newId(), at, device);
  const joined = await act(async (context) => {
    const { tx } = context;
    await forgetRequests(tx, at);
    const wait = waitForRoom(await requestTimes(tx, wrongLinks), maxWrongLinksPerClientAndHour, at);
    if (wait > 0) throw queries.tooMany('Too many links that do not work.', wait);
    const found = await byLink(context, token).catch(refusalIn);
    if (found instanceof SignInRefusal) {
      await rememberRequests(tx, newId, [wrongLinks], now);
      return found;
    }
    const { email, mailed, workspace } = found;
    if (await findByEmail(tx, email)) throw new SignInRefusal('ACCOUNT_EXISTS');
    if (mailed === 0 && sendsMail(context)) throw new SignInRefusal('CODE_REQUIRED');
    const plan = parts.config.defaultPlan;
    const user = { id: newId(), email, name: name.trim() || nameFrom(email), plan, created_at: now };
    await insert(context, user);
    await insertSession(context, { ...session, user_id: user.id }, 'invitation');
    await queries.accept(context, found, user.id);
    return {
      token: sessionToken,
      session: { ...session, user_id: user.id },
      user,
      workspaceId: workspace.id,
    };
  });
  // Thrown here, so that the wrong link counts.
  if (joined instanceof SignInRefusal) throw joined;
  return joined;
}

function refusalIn(cause: unknown): SignInRefusal {
  if (cause instanceof SignInRefusal) return cause;
  throw cause;
}
