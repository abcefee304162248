import { afterAll, beforeAll, expect, test } from 'vitest';
import { seriousProblems } from '../support/axe.ts';
import { describeInBrowser, openConsole, sizes, useBrowser } from '../support/browser.ts';
import { startSteno, type TestSteno } from '../support/steno.ts';

describeInBrowser('the first five minutes', () => {
  const browser = useBrowser();
  let steno: TestSteno;
  beforeAll(async () => {
    steno = await startSteno({ config: { firstSteps: true } });
  });
  afterAll(() => steno.close());

  test.each(sizes)(
    'a new person finds a sample and three steps that tick themselves off, on %s',
    async (_size, screen) => {
      const { user } = await steno.person();
      const { page, complaints, close } = await openConsole(browser.get(), steno, {
        user,
        path: '/notes',
        ...screen,
      });
      const steps = page.getByRole('region', { name: 'First steps' });
      const sample = page.getByRole('link', { name: /Sample: ask not/ });
      await sample.waitFor();
      await expect.poll(() => steps.getByRole('button').count()).toBe(4);
      expect(await seriousProblems(page)).toEqual([]);
      await steps.getByRole('button', { name: /Correct the sample/ }).click();
      await page.getByRole('button', { name: 'Play', exact: true }).waitFor();
      await page.getByText('ask what you can do for your country').last().waitFor();
      await page.keyboard.press('Alt+n');
      await page.getByLabel('Title').fill('Mine');
      await page.getByText('Saved', { exact: true }).waitFor();
      await page.goto(new URL('/notes', page.url()).href);
      await steps.getByRole('button', { name: /Correct the sample.*Done/ }).waitFor();
      expect(await steps.getByText('Done', { exact: true }).count()).toBe(1);
      await steps.getByRole('button', { name: 'Hide the first steps' }).click();
      await expect.poll(() => steps.count()).toBe(0);
      // Not shown again, and not even asked for.
      const asked: string[] = [];
      page.on('request', (request) => asked.push(request.url()));
      await page.reload();
      await sample.waitFor();
      expect(asked.filter((url) => url.endsWith('/first-steps'))).toEqual([]);
      expect(complaints).toEqual([]);
      await close();
    },
  );

  test('with 60 notes newer than the sample they are asked for once, and the page falls silent', async () => {
    const { user, key } = await steno.person();
    const { token } = await steno.signIn(user);
    await steno.call('POST', '/api/account/first-steps', { key: token });
    const notes = Array.from({ length: 60 }, (_, at) => ({ title: `Note ${at}`, content: 'Mine' }));
    await steno.call('POST', '/notes/create-many', { key, body: { notes } });
    const { page, close } = await openConsole(browser.get(), steno, { user });
    const asked: string[] = [];
    page.on('request', (request) => asked.push(`${request.method()} ${new URL(request.url()).pathname}`));
    await page.getByRole('region', { name: 'First steps' }).waitFor();
    await expect.poll(() => untilSilent(asked), { timeout: 20_000 }).toBe(true);
    expect(asked.filter((one) => one.endsWith('/first-steps')).length).toBeLessThanOrEqual(2);
    await close();
  });

  test('they close themselves when all three are done, and are not asked for again', async () => {
    const { user, key } = await steno.person();
    const { token } = await steno.signIn(user);
    const { page, close } = await openConsole(browser.get(), steno, { user });
    const steps = page.getByRole('region', { name: 'First steps' });
    await steps.waitFor();
    await steno.call('POST', '/notes/create', { key: token, body: { content: 'Mine' } });
    // The list of the open page shows the note, and the step is ticked.
    await steps.getByRole('button', { name: /Correct the sample.*Done/ }).waitFor();
    await steno.call('POST', '/recordings/uploads', {
      key: token,
      headers: {
        'tus-resumable': '1.0.0',
        'upload-length': '100',
        'upload-metadata': `name ${btoa('Mine')}`,
      },
    });
    const { id } = (await steno.call('GET', '/me', { key })).body.data.key;
    await steno.store.keys.touch(new Map([[id, { at: new Date().toISOString(), route: 'GET /api/v1/me' }]]));
    await page.reload();
    await page.getByRole('link', { name: /Sample: ask not/ }).waitFor();
    await expect
      .poll(
        async () =>
          (await steno.call('POST', '/api/account/first-steps', { key: token })).body.data.shown as boolean,
      )
      .toBe(false);
    await expect.poll(() => steps.count()).toBe(0);
    await close();
  });
});

/** No request within a second and a half. */
async function untilSilent(asked: readonly string[]): Promise<boolean> {
  const before = asked.length;
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  return asked.length === before;
}
