import { existsSync, rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readSettingsFile, settingsFile } from '../../src/settings-file.ts';
import { seriousProblems } from '../support/axe.ts';
import { describeInBrowser, sizes, useBrowser } from '../support/browser.ts';
import { startFakeModel } from '../support/fake-model.ts';
import { openMailbox } from '../support/mailbox.ts';
import { firstSignIn, newFolder, runSteno, type ServerProcess, startServer } from '../support/process.ts';

let dataDir: string;
let server: ServerProcess | undefined;
beforeEach(() => {
  dataDir = newFolder();
});
afterEach(async () => {
  await server?.kill();
  rmSync(dataDir, { recursive: true, force: true });
});

const firstLink = () => /http\S+\/sign-in\/link\?token=\S+/.exec(firstSignIn(dataDir))?.[0] ?? '';

describeInBrowser('a new server is set up in the browser', () => {
  const browser = useBrowser();

  test.each(sizes)('from the printed link to the notes, on %s', { tags: 'slow' }, async (_, size) => {
    const [mailbox, model] = await Promise.all([openMailbox(), startFakeModel()]);
    server = await startServer({ dataDir, settings: { STENO_SIGNUP: 'closed' } });
    const context = await browser.get().newContext({ serviceWorkers: 'block', ...size });
    context.setDefaultTimeout(60_000);
    const page = await context.newPage();
    const failures: string[] = [];
    page.on('pageerror', ({ message }) => failures.push(message));
    await page.goto(firstLink());
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { name: 'Set up your server' }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/operator/setup');
    await page.getByText('set by STENO_SIGNUP in the environment').waitFor();
    expect(await seriousProblems(page)).toEqual([]);

    await page.getByLabel('Your name').fill('Ada');
    await page.getByLabel('Your email address').fill('ada@example.org');
    await page.getByLabel('Mail server and port').fill(new URL(mailbox.url).host);
    await page.getByLabel('Sender').fill('Steno <steno@example.org>');
    await page.getByRole('button', { name: 'Send a test mail to ada@example.org' }).click();
    await page.getByText('took a mail to ada@example.org').waitFor();
    expect(mailbox.mails).toHaveLength(1);
    await page.getByLabel('Address of the model').fill(model.url);
    await page.getByRole('button', { name: 'Ask it for a few words' }).click();
    await page.getByText('tokens a second').waitFor();
    await page.getByLabel('Folder for backups').fill('backups');
    await page.getByRole('button', { name: 'Finish' }).click();
    await page.getByText('Must be a whole path').waitFor();
    expect(existsSync(settingsFile(dataDir))).toBe(false);
    expect(await seriousProblems(page)).toEqual([]);
    await page.getByLabel('Folder for backups').fill('');
    await page.getByRole('button', { name: 'Finish' }).click();

    // The same process on the same port, with the same session.
    await page.waitForURL('**/notes');
    await page.getByText('Record your first note').filter({ visible: true }).waitFor();
    const me = await context.request.get(`${server.address}/api/v1/me`);
    expect((await me.json()).data).toMatchObject({ language_model: true, operator: true });
    expect(readSettingsFile(dataDir)).toEqual({
      STENO_SMTP_URL: mailbox.url,
      STENO_MAIL_FROM: 'Steno <steno@example.org>',
      STENO_LLM_URL: model.url,
    });
    await page.goto(`${server.address}/operator/setup`);
    await page.getByText(`${new URL(mailbox.url).host}, from Steno <steno@example.org>`).waitFor();
    expect(await page.getByRole('button', { name: 'Finish' }).count()).toBe(0);
    expect(failures).toEqual([]);
    await context.close();
    const { code, stderr } = await server.stop();
    expect([code, stderr]).toEqual([0, '']);
    const told = await runSteno(['mail', 'test', 'eve@example.org'], { STENO_DATA_DIR: dataDir });
    expect(told.stdout).toContain('from Steno <steno@example.org> to eve@example.org');
    await Promise.all([mailbox.close(), model.close()]);
  });

  test('says what is wrong at the field, goes there, and asks before a link loses what is typed', {
    tags: 'slow',
  }, async () => {
    server = await startServer({ dataDir });
    const context = await browser.get().newContext({ serviceWorkers: 'block' });
    context.setDefaultTimeout(60_000);
    const page = await context.newPage();
    await page.goto(firstLink());
    await page.getByRole('button', { name: 'Sign in' }).click();
    const folder = page.getByLabel('Folder for backups');
    await folder.fill('backups');
    await page.getByRole('button', { name: 'See whether it can be written to' }).click();
    await page.getByText('Must be a whole path').waitFor();
    expect(await page.getByText('Backup_url').count()).toBe(0);
    await page.getByLabel('Your name').fill('Ada');
    await page.getByRole('button', { name: 'Finish' }).click();
    await expect
      .poll(() => folder.evaluate((field) => field === field.ownerDocument.activeElement))
      .toBe(true);
    await page.getByRole('link', { name: 'Notes' }).first().click();
    const question = page.getByRole('dialog', { name: 'Discard your changes?' });
    await question.getByRole('button', { name: 'Keep editing' }).click();
    expect(await folder.inputValue()).toBe('backups');
    await context.close();
  });

  test('all of it can be skipped', { tags: 'slow' }, async () => {
    server = await startServer({ dataDir });
    const context = await browser.get().newContext({ serviceWorkers: 'block' });
    context.setDefaultTimeout(60_000);
    const page = await context.newPage();
    await page.goto(firstLink());
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('button', { name: 'Skip all' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Skip all' }).click();
    await page.waitForURL('**/notes');
    await page.goto(`${server.address}/operator/setup`);
    await page.getByText('Set by STENO_PUBLIC_URL.').waitFor();
    expect(existsSync(settingsFile(dataDir))).toBe(false);
    await context.close();
  });
});

describe('a server that is killed while it is set up', () => {
  /** As a browser does, without one. */
  async function signIn(): Promise<string> {
    const link = firstLink();
    const opened = await fetch(link);
    const cookie = String(opened.headers.get('set-cookie')).split(';')[0] ?? '';
    const headers = { cookie, origin: new URL(link).origin };
    const entered = await fetch(link, { method: 'POST', headers, redirect: 'manual' });
    return String(entered.headers.get('set-auth-token'));
  }

  const send = (address: string, token: string, method: string, body?: object) =>
    fetch(`${address}/api/operator/setup`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });

  async function look(address: string, token: string) {
    const { data } = (await (await send(address, token, 'GET')).json()) as {
      data: { state: string; items: { value: string | null }[] };
    };
    return [data.state, data.items[0]?.value];
  }

  const public_url = 'https://notes.example.org';

  test('has what it acknowledged at the next start', { tags: 'slow' }, async () => {
    server = await startServer({ dataDir });
    const token = await signIn();
    expect(await look(server.address, token)).toEqual(['open', null]);
    const answer = await send(server.address, token, 'POST', { public_url });
    expect(answer.status).toBe(200);
    await server.kill();
    server = await startServer({ dataDir });
    expect(await look(server.address, token)).toEqual(['closed', public_url]);
  });

  test('never ends set-up without what was entered', { tags: 'slow' }, async () => {
    for (let round = 0; round < 12; round++) {
      server = await startServer({ dataDir });
      const token = await signIn();
      void send(server.address, token, 'POST', { public_url }).catch(() => {});
      await sleep(round * 4);
      await server.kill();
      server = await startServer({ dataDir });
      const [state, value] = await look(server.address, token);
      expect(['open null', `open ${public_url}`, `closed ${public_url}`]).toContain(`${state} ${value}`);
      await server.kill();
      rmSync(dataDir, { recursive: true, force: true });
      dataDir = newFolder();
    }
  });
});
