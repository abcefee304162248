import { afterAll, beforeAll, expect, test } from 'vitest';
import { operator } from '../../src/domain/principal.ts';
import { seriousProblems } from '../support/axe.ts';
import { describeInBrowser, openConsole, sizes, useBrowser } from '../support/browser.ts';
import { dropFiles } from '../support/drop-files.ts';
import { createFakeSpeech, recording } from '../support/speech.ts';
import { startSteno, type TestSteno } from '../support/steno.ts';

describeInBrowser('a member of a workspace', () => {
  const browser = useBrowser();
  let steno: TestSteno;
  beforeAll(async () => {
    steno = await startSteno({ speech: createFakeSpeech() });
  });
  afterAll(() => steno.close());

  test.each(sizes)(
    'answers an invitation, then reads, writes and drops recordings into a space, beside their own notes, on %s',
    async (size, screen) => {
      const team = await steno.team({ name: 'Harbour' });
      const user = await steno.users.add({
        name: 'Grace',
        email: `grace-${size.slice(2)}@example.org`,
        plan: 'business',
      });
      const { token } = await steno.signIn(team.user);
      await steno.call('POST', `/api/workspaces/${team.workspace.id}/invitations`, {
        key: token,
        body: { email: user.email },
      });
      await steno.call('POST', `/api/workspaces/${team.workspace.id}/spaces`, {
        key: token,
        body: { name: 'Empty' },
      });
      await steno.call('POST', '/notes/create', {
        key: team.key,
        body: { title: 'Minutes', content: 'The crane arrives in March.', space_id: team.space.id },
      });
      const opened = await openConsole(browser.get(), steno, { user, path: '/workspaces', ...screen });
      const { page, complaints, close } = opened;
      await page.getByText('Invitation to “Harbour”').waitFor();
      expect(await seriousProblems(page)).toEqual([]);
      await page.getByRole('link', { name: 'Answer' }).click();
      await page.getByRole('button', { name: 'Accept' }).click();
      await page.getByText('You’re now a member of “Harbour”', { exact: true }).waitFor();

      await page.getByRole('link', { name: 'Notes', exact: true }).filter({ visible: true }).click();
      await page.getByLabel('Whose notes').filter({ visible: true }).selectOption('General');
      await page.getByRole('heading', { name: 'General', level: 1 }).waitFor();
      await page.getByRole('link', { name: /Minutes/ }).click();
      await page.getByText('The crane arrives in March.').last().waitFor();
      await page.getByRole('button', { name: 'Write' }).click();
      await page.getByLabel('Note text').fill('The crane arrives in April.');
      const inSpace = async () =>
        (await steno.call('GET', `/notes/list?space_id=${team.space.id}`, { key: team.key })).body.data;
      await expect.poll(async () => (await inSpace())[0].content).toBe('The crane arrives in April.');

      await page.keyboard.press('Escape');
      await page.keyboard.press('Alt+n');
      await page.getByLabel('Title').fill('From the console');
      await expect.poll(async () => (await inSpace()).length).toBe(2);
      // Their own notes are elsewhere, and stay so.
      await page.keyboard.press('Escape');
      await page.keyboard.press('Escape');
      await page.getByLabel('Whose notes').filter({ visible: true }).selectOption('Empty');
      await page.getByText('No notes in this space yet').filter({ visible: true }).waitFor();
      await page.getByRole('button', { name: 'Record in Empty' }).filter({ visible: true }).waitFor();
      /** Drops it while this space is open, and opens its note. */
      const drop = async (name: string, space: string) => {
        const file = { name: `${name}.wav`, type: 'audio/wav', bytes: recording({ ms: 2_000 }) };
        await dropFiles(page, [file], `Drop to transcribe in ${space}`);
        await page.getByText('1 recording is ready').click();
        await page.getByRole('link', { name: 'Open note' }).click();
        await page.getByRole('heading', { name }).waitFor();
      };
      await drop('crane', 'Empty');
      const empty = new URL(page.url()).searchParams.get('space');
      const shared = await steno.call('GET', `/notes/list?space_id=${empty}`, { key: team.key });
      expect(shared.body.data).toMatchObject([{ title: 'crane' }]);
      await page.getByRole('link', { name: 'Notes', exact: true }).filter({ visible: true }).click();
      await page.getByLabel('Whose notes').filter({ visible: true }).selectOption('My notes');
      await page.getByText('Record your first note').filter({ visible: true }).waitFor();
      await page.getByLabel('Whose notes').filter({ visible: true }).selectOption('General');
      await page.getByRole('link', { name: /Minutes/ }).waitFor();
      await steno.members.remove(operator, team.workspace.id, user.id, { revokeKeys: false });
      // Who learns only now that the space is closed to them has it among their own notes.
      await drop('gate', 'General');
      expect(new URL(page.url()).search).toBe('');
      expect(complaints).toEqual([]);
      await page.goto(`${opened.origin}/notes?space=${team.space.id}`);
      await page.getByText('Not found', { exact: true }).waitFor();
      await close();
    },
  );
});
