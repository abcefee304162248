import { afterAll, beforeAll, expect, test } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { seriousProblems } from '../support/axe.ts';
import { describeInBrowser, openConsole, sizes, useBrowser } from '../support/browser.ts';
import { oidcClient, startOidcProvider } from '../support/openid.ts';
import { startSteno, type TestSteno } from '../support/steno.ts';

describeInBrowser('signing in with a provider in the console', () => {
  const browser = useBrowser();
  const redirectUris: string[] = [];
  let provider: Awaited<ReturnType<typeof startOidcProvider>>;
  const started: TestSteno[] = [];
  beforeAll(async () => {
    provider = await startOidcProvider(redirectUris);
  });
  afterAll(async () => {
    for (const steno of started) await steno.close();
    await provider.close();
  });

  async function serverWith(settings: Record<string, string>) {
    const { oidc, providerOnly, signUp } = readConfig({
      STENO_OIDC_ISSUER: provider.issuer,
      STENO_OIDC_CLIENT_ID: oidcClient.clientId,
      STENO_OIDC_CLIENT_SECRET: oidcClient.clientSecret,
      STENO_OIDC_NAME: 'Example',
      STENO_SIGNUP: 'open',
      ...settings,
    });
    const steno = await startSteno({ config: { oidc, providerOnly, signUp } });
    started.push(steno);
    return steno;
  }
  /** The provider learns the address of the server, which has a port now. */
  async function openAt(steno: TestSteno, screen: object, path: string) {
    const opened = await openConsole(browser.get(), steno, { path, ...screen });
    redirectUris.push(`${opened.origin}/api/auth/callback/oidc`);
    provider.rotateKeys();
    return opened;
  }

  test.each(sizes)(
    'the button leads there and back to the page that was asked for, and out again, on %s',
    async (_size, screen) => {
      const steno = await serverWith({});
      provider.become({ sub: 'ada', email: 'ada@example.org', email_verified: true, name: 'Ada Lovelace' });
      const { page, close } = await openAt(steno, screen, '/account');
      await page.getByLabel('Email address').waitFor();
      const button = page.getByRole('button', { name: 'Sign in with Example' });
      await button.waitFor();
      expect(await seriousProblems(page)).toEqual([]);
      await button.click();
      await page.getByText('Ada Lovelace · ada@example.org').waitFor();
      expect(new URL(page.url()).pathname).toBe('/account');
      await page.getByRole('button', { name: 'Sign out', exact: true }).click();
      await page.waitForURL((url) => url.href.startsWith(`${provider.issuer}/session/end`));
      await close();
    },
  );

  test('where only the provider signs in, no address is asked for, and a refusal says why', {
    tags: 'slow',
  }, async () => {
    const steno = await serverWith({ STENO_SIGNIN: 'oidc', STENO_OIDC_GROUPS: 'staff' });
    provider.become({ sub: 'eve', email: 'eve@example.org', email_verified: true });
    const { page, close } = await openAt(steno, {}, '/notes');
    const button = page.getByRole('button', { name: 'Sign in with Example' });
    await button.waitFor();
    expect(await page.getByLabel('Email address').count()).toBe(0);
    expect(await seriousProblems(page)).toEqual([]);
    await button.click();
    await page.getByText('You may not sign in here.').waitFor();
    await page.goto(new URL('/sign-in?problem=away', page.url()).href);
    await page.getByText('The provider doesn’t answer.').waitFor();
    await close();
  });

  test('who has an invitation and no account comes in by the provider', { tags: 'slow' }, async () => {
    const steno = await serverWith({ STENO_SIGNIN: 'oidc', STENO_SIGNUP: 'closed' });
    const { user, workspace, space } = await steno.team({ name: 'Crew' });
    const { cookie } = await steno.signIn(user);
    const email = 'guest@example.org';
    const invited = await steno.call('POST', `/api/workspaces/${workspace.id}/invitations`, {
      headers: { cookie },
      body: { email, role: 'member' },
    });
    provider.become({ sub: 'guest', email, email_verified: true, name: 'Guest' });
    const { page, close } = await openAt(steno, {}, new URL(invited.body.data.link).pathname);
    await page.getByText('Sign in to Example with guest@example.org').waitFor();
    await page.getByRole('heading', { name: `${user.name} invites you to “Crew”` }).waitFor();
    expect(await seriousProblems(page)).toEqual([]);
    await page.getByRole('button', { name: 'Sign in with Example' }).click();
    await page.getByRole('button', { name: /Accept|Join/ }).click();
    await page
      .getByText(/now a member of/)
      .first()
      .waitFor();
    await page.waitForURL((url) => url.searchParams.get('space') === space.id);
    await close();
  });
});
