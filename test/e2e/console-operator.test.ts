import { afterAll, beforeAll, expect, test } from 'vitest';
import { operator } from '../../src/domain/principal.ts';
import { seriousProblems } from '../support/axe.ts';
import { describeInBrowser, openConsole, sizes, useBrowser } from '../support/browser.ts';
import { startReceiver } from '../support/receiver.ts';
import { startSteno, type TestSteno } from '../support/steno.ts';

describeInBrowser('the console of an operator', () => {
  const browser = useBrowser();
  let steno: TestSteno;
  let runner: { id: string };
  beforeAll(async () => {
    steno = await startSteno({ config: { webhookNetworks: ['127.0.0.1'] } });
    ({ user: runner } = await steno.person({ name: 'Root' }));
    await steno.users.setOperator(runner.id, true);
    await steno.team({ name: 'Orange' });
  });
  afterAll(() => steno.close());

  test.each(sizes)('the status says what is wrong and what to do, on %s', async (_, size) => {
    const { page, complaints, close } = await openConsole(browser.get(), steno, {
      user: runner,
      path: '/operator/status',
      ...size,
    });
    await page.getByText('your attention').waitFor();
    // Names stay as they are.
    await page.getByText('sqlite answers').waitFor();
    await page.getByText('What to do: set STENO_SMTP_URL (docs/mail.md).').waitFor();
    expect(await seriousProblems(page)).toEqual([]);
    expect(complaints).toEqual([]);
    await close();
  });

  test.each(sizes)(
    'a person is added, suspended and deleted, and the log tells it, on %s',
    async (name, size) => {
      const { page, complaints, close } = await openConsole(browser.get(), steno, {
        user: runner,
        path: '/operator/people',
        ...size,
      });
      await page.getByText('Orange', { exact: true }).waitFor();
      await page.getByLabel('Plan of Orange', { exact: true }).selectOption('Free');
      await expect.poll(async () => (await steno.workspaces.list())[0]?.plan).toBe('free');
      await page.getByRole('button', { name: 'Add a person' }).click();
      const dialog = page.getByRole('dialog');
      const email = `mary-${name}@example.org`.replaceAll(' ', '-');
      await dialog.getByLabel('Name').fill('Mary');
      await dialog.getByLabel('E-mail address').fill(email);
      await dialog.getByRole('button', { name: 'Add a person' }).click();
      await page.getByText('Pass this link on to Mary').waitFor();
      expect(await page.getByLabel('Sign-in link').inputValue()).toContain('/api/auth/sign-in/link?token=');
      await page.getByRole('button', { name: 'I’ve copied it' }).click();
      expect(await seriousProblems(page)).toEqual([]);

      await page.getByPlaceholder('Find by name or address').fill(email);
      const row = page.getByRole('listitem').filter({ hasText: email });
      // The answer to one change leaves the question about another open.
      const answered = Promise.withResolvers<void>();
      await page.route('**/operator/people/*', (route) => answered.promise.then(() => route.continue()));
      const plan = row.getByLabel('Plan of Mary');
      await plan.selectOption('Pro');
      await row.getByRole('button', { name: 'What to do with Mary' }).click();
      await page.getByRole('menuitem', { name: 'Suspend' }).click();
      answered.resolve();
      await expect.poll(async () => [await plan.inputValue(), await plan.isEnabled()]).toEqual(['pro', true]);
      await page.getByRole('dialog').getByRole('button', { name: 'Suspend' }).click();
      await row.getByText('Suspended', { exact: true }).waitFor();
      await expect.poll(() => steno.users.find(email)).toMatchObject({ plan: 'pro' });
      await row.getByRole('button', { name: 'What to do with Mary' }).click();
      await page.getByRole('menuitem', { name: 'Delete account' }).click();
      const removal = page.getByRole('dialog');
      await removal.getByLabel(`To confirm, type ${email}`).fill('Mary');
      await removal.getByRole('button', { name: 'Delete account' }).click();
      await removal.getByText('This is not the same.').waitFor();
      await removal.getByLabel(`To confirm, type ${email}`).fill(email);
      await removal.getByRole('button', { name: 'Delete account' }).click();
      await page.getByText('No one found').waitFor();

      await page.goto(new URL('/operator/audit', page.url()).href);
      await page.getByText(`Account deleted: ${email}`).waitFor();
      await page.getByLabel('Kind of event').selectOption('Account suspended');
      await page.getByText(`Account suspended: ${email}`).waitFor();
      expect(await page.getByRole('link', { name: 'Download CSV' }).getAttribute('href')).toBe(
        '/api/audit/csv?act=account.suspended',
      );
      expect(await seriousProblems(page)).toEqual([]);
      expect(complaints).toEqual([]);
      await close();
    },
  );

  test('a person who is suspended is told so, and is let in by the same session afterwards', async () => {
    const { user } = await steno.person();
    const { page, close } = await openConsole(browser.get(), steno, { user, path: '/account' });
    await page.getByRole('heading', { name: 'Account', level: 1 }).waitFor();
    await steno.store.people.setSuspended(user.id, new Date().toISOString());
    await page.reload();
    await page.getByRole('heading', { name: 'Your account is suspended' }).waitFor();
    expect(await seriousProblems(page)).toEqual([]);
    await page.getByRole('button', { name: 'Sign in with another account' }).click();
    await page.getByLabel('Email address').waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Your account is suspended' }).waitFor();
    await steno.store.people.setSuspended(user.id, null);
    await page.getByRole('button', { name: 'Look again' }).click();
    await page.getByRole('heading', { name: 'Account', level: 1 }).waitFor();
    await close();
  });

  test.each(sizes)('the set-up says what is set, and by what, on %s', async (_, size) => {
    const options = { user: runner, path: '/operator/setup', ...size };
    const { page, complaints, close } = await openConsole(browser.get(), steno, options);
    await page.getByText('Codes to sign in are in the log of the server.').waitFor();
    await page.getByText('Set by STENO_PUBLIC_URL.').waitFor();
    expect(await seriousProblems(page)).toEqual([]);
    expect(complaints).toEqual([]);
    await close();
  });

  test('whoever is no operator finds no way there, and an admin has the log of their workspace', {
    tags: 'slow',
  }, async () => {
    const { user, workspace } = await steno.team({ name: 'Blue' });
    const { page, origin, close } = await openConsole(browser.get(), steno, { user, path: '/account' });
    await page.getByRole('link', { name: 'Workspaces' }).waitFor();
    expect(await page.getByRole('link', { name: 'Server status' }).count()).toBe(0);
    await page.goto(`${origin}/workspaces/${workspace.id}?tab=audit`);
    await page.getByText('Workspace made: Blue').waitFor();
    const receiver = await startReceiver();
    await page.getByRole('button', { name: 'Add webhook' }).click();
    await page.getByLabel('Address').fill(receiver.url);
    expect(await seriousProblems(page)).toEqual([]);
    await page.getByRole('dialog').getByRole('button', { name: 'Add webhook' }).click();
    expect(await page.getByLabel('Secret', { exact: true }).inputValue()).toMatch(/^whsec_/);
    await page.getByRole('button', { name: 'I’ve copied it' }).click();
    await page.getByText('The audit log has a new line').waitFor();
    await steno.policies.update(operator, workspace.id, { block_cloud_backup: true });
    await expect
      .poll(() => receiver.received.map(({ body }) => body.data.act))
      .toEqual(['webhook.created', 'policy.changed']);
    await page.getByRole('button', { name: `Recent deliveries to ${receiver.url}` }).click();
    await page.getByRole('dialog').getByText('The audit log has a new line').first().waitFor();
    expect(await seriousProblems(page)).toEqual([]);
    await receiver.close();
    await close();
  });
});
