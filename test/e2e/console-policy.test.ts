import { afterAll, beforeAll, expect, test } from 'vitest';
import { operator } from '../../src/domain/principal.ts';
import { describeInBrowser, openConsole, useBrowser } from '../support/browser.ts';
import { startSteno, type TestSteno } from '../support/steno.ts';

describeInBrowser('the policy of a workspace in the console', () => {
  const browser = useBrowser();
  let steno: TestSteno;
  beforeAll(async () => {
    steno = await startSteno();
  });
  afterAll(() => steno.close());

  /** A workspace with its admin and one member who has a key. */
  async function team() {
    const { workspace, user: admin } = await steno.team();
    const { user: member, key } = await steno.person({ name: 'Grace <b>' });
    await steno.members.add(operator, workspace.id, { user_id: member.id, role: 'member' });
    const addWord = async () =>
      (await steno.call('POST', '/dictionary/create', { key, body: { word: 'word' } })).status;
    return { workspace, admin, member, addWord, path: `/workspaces/${workspace.id}` };
  }

  test('an admin turns a policy on and lets a managed member go, who then can change their dictionary', async () => {
    const { workspace, admin, member, addWord, path } = await team();
    const { page, complaints, close } = await openConsole(browser.get(), steno, {
      user: admin,
      path: `${path}?tab=policy`,
    });
    const blocksBackup = page.getByRole('switch', { name: 'Block changes to dictionary and snippets' });
    const blocksTranscription = page.getByRole('switch', { name: 'Block transcription' });
    // By keyboard: the switch keeps the focus while the change is saved.
    await blocksBackup.focus();
    await page.keyboard.press('Space');
    await page.locator('[role=switch]:checked:focus:not([aria-busy])').waitFor();
    expect(await addWord()).toBe(201);

    await page.getByRole('tab', { name: 'Members' }).click();
    // How a member agrees to it is in console-invitations.test.ts.
    await steno.members.update(operator, workspace.id, member.id, { managed: true });
    await page.reload();
    const managed = page.getByRole('switch', { name: 'Managed: Grace <b>' });
    await managed.and(page.locator(':checked')).waitFor();
    expect(await addWord()).toBe(403);
    await page.getByRole('tab', { name: 'Policy' }).click();
    await blocksBackup.waitFor();
    expect([await blocksBackup.isChecked(), await blocksTranscription.isChecked()]).toEqual([true, false]);
    await page.getByText('Block changes to dictionary and snippets').click();
    await expect.poll(addWord).toBe(201);
    await steno.policies.update(operator, workspace.id, { block_cloud_backup: true });
    expect(await addWord()).toBe(403);
    await page.getByRole('tab', { name: 'Members' }).click();
    await managed.click();
    await expect.poll(addWord).toBe(201);
    expect(complaints).toEqual([]);
    await close();
  });

  test('a change that is refused is taken back and said', async () => {
    const { admin, path } = await team();
    const { page, close } = await openConsole(browser.get(), steno, {
      user: admin,
      path: `${path}?tab=policy`,
    });
    await page.getByRole('switch', { name: 'Block transcription' }).waitFor();
    await page.route('**/policy', (route) => route.abort());
    await page.getByText('Block transcription').click();
    await page.getByText('Can’t reach the server').first().waitFor();
    await page.locator('[role=switch]:not([aria-busy])').first().waitFor();
    expect(await page.getByRole('switch', { name: 'Block transcription' }).isChecked()).toBe(false);
    await close();
  });

  test('a member reads what is blocked and who is managed, and leaves', async () => {
    const { workspace, member, addWord, path } = await team();
    await steno.policies.update(operator, workspace.id, { block_cloud_backup: true });
    await steno.members.update(operator, workspace.id, member.id, { managed: true });
    const { page, complaints, close } = await openConsole(browser.get(), steno, {
      user: member,
      path: `${path}?tab=policy`,
    });
    const rows = page.getByRole('list', { name: 'What managed members can’t do' }).getByRole('listitem');
    await rows.first().waitFor();
    expect(await rows.allInnerTexts()).toEqual([
      expect.stringMatching(/^Block transcription.*Off$/s),
      expect.stringMatching(/^Block changes to dictionary and snippets.*On$/s),
      expect.stringMatching(/^Block language models.*Off$/s),
    ]);
    await page.getByText('Only admins of this workspace can change this.').waitFor();
    await page.getByRole('tab', { name: 'Members' }).click();
    await page.getByText('Managed', { exact: true }).waitFor();
    expect(await page.getByRole('switch').count()).toBe(0);
    expect(await addWord()).toBe(403);

    await page.getByRole('button', { name: 'Leave' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Leave' }).click();
    await page.getByText('No workspaces yet').waitFor();
    expect(await addWord()).toBe(201);
    expect(complaints).toEqual([]);
    await close();
  });
});
