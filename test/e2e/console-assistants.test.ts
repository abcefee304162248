import { afterAll, beforeAll, expect, test } from 'vitest';
import { seriousProblems } from '../support/axe.ts';
import { describeInBrowser, openConsole, signInByLink, sizes, useBrowser } from '../support/browser.ts';
import { newProof } from '../support/connect.ts';
import { startSteno, type TestSteno } from '../support/steno.ts';

describeInBrowser('assistants in the console', () => {
  const browser = useBrowser();
  let steno: TestSteno;
  beforeAll(async () => {
    steno = await startSteno();
  });
  afterAll(() => steno.close());

  /** The address that an assistant opens, and what it sends for the code. */
  async function asked(origin: string) {
    // A page of the same server, so that the browser finds something there.
    const redirect_uri = `${origin}/docs`;
    const { id } = await steno.oauth.register({ name: 'My assistant', redirect_uris: [redirect_uri] }, '::1');
    const { verifier, challenge } = newProof();
    const query = new URLSearchParams({
      response_type: 'code',
      client_id: id,
      redirect_uri,
      code_challenge: challenge,
      code_challenge_method: 'S256',
      scope: 'notes:read notes:write usage:read',
      state: 'a&b',
      resource: `${origin}/mcp`,
    });
    const proof = { grant_type: 'authorization_code', client_id: id, code_verifier: verifier, redirect_uri };
    return { path: `/oauth/authorize?${query}`, proof };
  }

  test.each(sizes)(
    'somebody signs in, lets one in with less than it asks, and disconnects it, on %s',
    async (_size, screen) => {
      const { user } = await steno.person();
      const { page, origin, complaints, close } = await openConsole(browser.get(), steno, screen);
      const { path, proof } = await asked(origin);
      const answer = await page.goto(origin + path);
      expect(answer?.status()).toBe(200);
      expect(answer?.headers()['content-security-policy']).toContain("frame-ancestors 'none'");
      await page.getByRole('heading', { name: 'Sign in' }).waitFor();
      expect(new URL(page.url()).searchParams.get('next')).toBe(path);
      await signInByLink(page, origin, steno, user);
      await page.goto(origin + path);
      await page.getByRole('heading', { name: 'Let “My assistant” in?' }).waitFor();
      await page.getByText(`${origin}/docs`, { exact: true }).waitFor();
      await page.getByText('It would act as Ada').waitFor();
      expect(await seriousProblems(page)).toEqual([]);
      await page.getByLabel('Write notes and folders').uncheck();
      await page.getByRole('button', { name: 'Allow', exact: true }).click();
      await page.waitForURL(/\/docs\?code=/);
      const { searchParams } = new URL(page.url());
      expect([searchParams.get('state'), searchParams.get('iss')]).toEqual(['a&b', origin]);
      const tokens = await fetch(`${origin}/oauth/token`, {
        method: 'POST',
        body: new URLSearchParams({ ...proof, code: searchParams.get('code') ?? '' }),
      });
      expect(await tokens.json()).toMatchObject({ scope: 'notes:read usage:read' });

      await page.goto(`${origin}/keys`);
      await page.getByText('My assistant', { exact: true }).waitFor();
      await page.getByText('Read notes and folders, Read usage').waitFor();
      expect(await seriousProblems(page)).toEqual([]);
      await page.getByRole('button', { name: 'Disconnect My assistant' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Disconnect' }).click();
      await page.getByText('Assistant disconnected', { exact: true }).waitFor();
      expect(await steno.store.oauth.list(user.id, new Date().toISOString())).toEqual([]);
      expect(complaints).toEqual([]);
      await close();
    },
  );

  test('who says no goes back with a refusal, and an address that nobody registered leads nowhere', async () => {
    const { user } = await steno.person();
    const { page, origin, close } = await openConsole(browser.get(), steno, { user });
    const { path } = await asked(origin);
    await page.goto(origin + path);
    await page.getByRole('button', { name: 'Don’t allow' }).click();
    await page.waitForURL(/\/docs\?error=access_denied/);
    const evil = encodeURIComponent('https://evil.example/');
    await page.goto(origin + path.replace(/redirect_uri=[^&]+/, `redirect_uri=${evil}`));
    await page.getByText('must be an address that the assistant registered').waitFor();
    expect(await page.getByRole('button', { name: 'Allow', exact: true }).count()).toBe(0);
    expect(new URL(page.url()).origin).toBe(origin);
    await close();
  });

  test('a link to us with a wrong question sends nobody on: anybody can register an address', async () => {
    const { user } = await steno.person();
    const { page, origin, complaints, close } = await openConsole(browser.get(), steno, { user });
    const { path } = await asked(origin);
    await page.goto(origin + path.replace('response_type=code', 'response_type=token'));
    await page.getByText('Nothing was allowed').waitFor();
    await page.getByText(`${origin}/docs`, { exact: true }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/oauth/authorize');
    expect(await seriousProblems(page)).toEqual([]);
    await page.getByRole('button', { name: 'Go back to it' }).click();
    await page.waitForURL(/\/docs\?error=unsupported_response_type/);
    expect(complaints).toEqual([]);
    await close();
  });
});
