import { readConfig } from '../../src/config.ts';
import { composeServices } from '../../src/services.ts';
import { asOperator } from './identity.ts';

/** An operator of a server that does not run yet. Their link signs in once, for 15 minutes. */
export async function operatorOf(dataDir: string, email = 'root@example.org') {
  const services = await composeServices(readConfig({ STENO_DATA_DIR: dataDir }));
  try {
    const user = await asOperator(services).users.add({ name: 'Root', email, plan: 'business' });
    await asOperator(services).users.setOperator(user.id, true);
    return { user, link: (await asOperator(services).sessions.createSignInLink(user.id)).path };
  } finally {
    await services.close();
  }
}

/** As a browser does: opens the link and presses the button. Returns the token of the session. */
export async function signInBy(address: string, link: string): Promise<string> {
  const page = await fetch(`${address}${link}`);
  const cookie = page.headers.get('set-cookie')?.split(';')[0] ?? '';
  const headers = { cookie, origin: address };
  const entered = await fetch(`${address}${link}`, { method: 'POST', headers, redirect: 'manual' });
  return entered.headers.get('set-auth-token') ?? '';
}
