import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { BrowserContext, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { workspaceKeysOf } from '../../src/domain/api-key.ts';
import { operator } from '../../src/domain/principal.ts';
import { composeServices } from '../../src/services.ts';
import { describeInBrowser, useBrowser } from '../support/browser.ts';
import { asOperator } from '../support/identity.ts';
import { newFolder, type ServerProcess, startServer } from '../support/process.ts';
import { seededRandom } from '../support/random.ts';
import { type Luck, roughDoor } from '../support/rough-door.ts';
import type { Answer } from '../support/steno.ts';
import { teamActs } from '../support/teams.ts';

// STENO_TEST_EDITS=1000 STENO_TEST_SEED=7 npm run test:slow -- console-kills
const edits = Number(process.env.STENO_TEST_EDITS ?? 100);
const seed = Number(process.env.STENO_TEST_SEED ?? 20_261_117);
const lines = 12;
const random = seededRandom(seed);
const chance = (percent: number) => random.between(1, 100) <= percent;

const textField = (page: Page) => page.getByLabel('Note text');

/** Two members of a workspace, and a note in their space. */
async function prepare(dataDir: string) {
  const plan = { requestsPerMinute: 10_000, revisionsPerNote: 1_000 };
  const plansFile = join(dataDir, 'plans.json');
  writeFileSync(plansFile, JSON.stringify({ business: plan }));
  const services = await composeServices(readConfig({ STENO_DATA_DIR: dataDir }));
  const { users, sessions } = asOperator(services);
  const { keys, workspaces, spaces, members } = teamActs(services);
  const people = [];
  for (const name of ['Ada', 'Eve']) people.push(await users.add({ name, email: null, plan: 'business' }));
  const [ada, eve] = people;
  if (!ada || !eve) throw new Error('nobody');
  const workspace = await workspaces.create({ userId: ada.id }, { name: 'Team', plan: 'business' });
  await members.add(operator, workspace.id, { user_id: eve.id, role: 'member' });
  const space = await spaces.create(operator, workspace.id, { name: 'Open', description: null, emoji: null });
  const draft = { name: 'test', scopes: ['workspace:*'], user_id: ada.id };
  const { key } = await keys.issue(operator, workspaceKeysOf(workspace.id), draft);
  const links = [];
  for (const { id } of people) links.push((await sessions.createSignInLink(id)).path);
  await services.close();
  return { key, spaceId: space.id, links, settings: { STENO_PLANS_FILE: plansFile } };
}

class Writer {
  readonly typed: string[] = [];
  readonly conflicts: string[] = [];
  readonly #context: BrowserContext;
  readonly #name: string;
  readonly #url: string;
  page: Page;

  constructor(context: BrowserContext, page: Page, name: string, url: string) {
    this.#context = context;
    this.page = page;
    this.#name = name;
    this.#url = url;
  }

  /** However often the server is away. */
  async open(): Promise<void> {
    for (;;)
      try {
        await this.page.goto(this.#url, { timeout: 20_000 });
        return;
      } catch {
        await sleep(500);
      }
  }

  async ready(): Promise<void> {
    for (let tries = 1; !(await textField(this.page).isVisible()); tries += 1) {
      const write = this.page.getByRole('button', { name: 'Write', exact: true });
      if (await write.isVisible()) await write.click({ timeout: 2_000 }).catch(() => {});
      // A page that was loaded while the server died may have nothing to show.
      if (tries % 20 === 0) await this.open();
      await sleep(250);
    }
  }

  async edit(): Promise<void> {
    await this.ready();
    await this.choose();
    const word = `${this.#name}${this.typed.length + 1}`;
    const { keyboard } = this.page;
    await textField(this.page).focus();
    await keyboard.press('ControlOrMeta+Home');
    for (let line = random.between(0, lines - 1); line > 0; line -= 1) await keyboard.press('ArrowDown');
    await keyboard.press('End');
    // The end of a long line may be before the first word of the next row.
    await keyboard.insertText(` ${word} `);
    // A page that was just loaded, or is deciding, may not have taken it.
    const shown =
      (await textField(this.page)
        .textContent({ timeout: 1_000 })
        .catch(() => '')) ?? '';
    if (!shown.includes(word)) return;
    this.typed.push(word);
    if (chance(5)) {
      await this.open();
    } else if (chance(8)) {
      await this.#context.setOffline(true);
      await sleep(random.between(100, 2_500));
      await this.#context.setOffline(false);
    } else await sleep(random.between(0, 1_200));
  }

  /** Decides, if there are two texts for one place. */
  async choose(): Promise<void> {
    const names = ['Keep both', 'Keep mine', 'Use theirs'];
    const name = names[random.between(0, names.length - 1)] ?? '';
    const button = this.page.getByRole('button', { name });
    if (!(await button.isVisible())) return;
    await button.click({ timeout: 2_000 }).then(
      () => this.conflicts.push(name),
      // Decided meanwhile, by the other writer's next text.
      () => {},
    );
  }

  async isQuiet(): Promise<boolean> {
    await this.ready();
    await this.choose();
    return this.page.getByText('Saved', { exact: true }).isVisible();
  }
}

describeInBrowser('a server that is killed again and again', () => {
  const browser = useBrowser();

  test(`of ${edits} edits by two writers, every acknowledged word is in the note or in a version (seed ${seed})`, async () => {
    const dataDir = newFolder();
    const { key, spaceId, links, settings } = await prepare(dataDir);
    const acknowledged = new Set<string>();
    const door = await roughDoor((content) => {
      for (const word of content.match(/\S+/g) ?? []) acknowledged.add(word);
    });
    let server: ServerProcess;
    const start = async () => {
      server = await startServer({ dataDir, settings });
      door.leadTo(server.address);
      return server;
    };
    server = await start();
    const call = async (path: string, body?: object) => {
      const response = await fetch(`${server.address}/api/v1${path}`, {
        ...(body ? { method: 'POST', body: JSON.stringify(body) } : {}),
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      });
      // The contract gives the shape.
      return ((await response.json()) as Answer['body']).data;
    };
    const content = Array.from({ length: lines }, (_, at) => `line${at}`).join('\n');
    const { id } = await call('/notes/create', { title: 'Minutes', content, space_id: spaceId });
    const writers: Writer[] = [];
    for (const [at, link] of links.entries()) {
      const context = await browser.get().newContext({ serviceWorkers: 'block', locale: 'en-GB' });
      context.setDefaultTimeout(60_000);
      await context.request.get(door.origin + link);
      await context.request.post(door.origin + link, { headers: { origin: door.origin }, maxRedirects: 0 });
      const url = `${door.origin}/notes/${id}?space=${spaceId}`;
      const writer = new Writer(context, await context.newPage(), 'ae'[at] ?? '', url);
      await writer.open();
      await writer.ready();
      writers.push(writer);
    }

    let kills = 0;
    let isOver = false;
    async function trouble(): Promise<void> {
      while (!isOver) {
        await sleep(random.between(1_000, 4_000));
        const worst = random.between(0, 60);
        const kinds: Luck[] = ['slow', 'cut', 'unanswered'];
        door.withLuck(() => (chance(worst) ? (kinds[random.between(0, 2)] ?? 'good') : 'good'));
        if (!chance(50)) continue;
        door.leadTo(undefined);
        await server.kill();
        kills += 1;
        await sleep(random.between(0, 1_500));
        await start();
      }
      door.withLuck(() => 'good');
    }
    const troubles = trouble();
    await Promise.all(
      writers.map(async (writer) => {
        while (writer.typed.length < edits / writers.length || kills < 4) await writer.edit();
      }),
    );
    isOver = true;
    await troubles;

    const isQuiet = async () => (await Promise.all(writers.map((writer) => writer.isQuiet()))).every(Boolean);
    await expect.poll(isQuiet, { timeout: 120_000, interval: 1_000 }).toBe(true);
    const note = await call(`/notes/${id}`);
    // The editor has only the lines in sight in its page.
    const beginning = (text: string[]) => text.slice(0, 5).join('\n');
    for (const { page } of writers) {
      await textField(page).focus();
      await page.keyboard.press('ControlOrMeta+Home');
      const shown = async () => beginning(await textField(page).locator('.cm-line').allTextContents());
      await expect.poll(shown).toBe(beginning(note.content.split('\n')));
    }
    const versions: { id: string }[] = await call(`/notes/${id}/revisions`);
    const texts = [note.content];
    for (const version of versions) texts.push((await call(`/notes/${id}/revisions/${version.id}`)).content);
    const there = new Set(texts.join(' ').split(/\s+/));
    const gone = (words: Iterable<string>) => [...words].filter((word) => !there.has(word));
    expect(gone(acknowledged)).toEqual([]);
    const typed = gone(writers.flatMap((writer) => writer.typed));
    expect(typed).toEqual([]);
    expect(await call(`/notes/list?space_id=${spaceId}`)).toHaveLength(1);
    expect(acknowledged.size).toBeGreaterThan(edits / 2);
    console.info(
      `${kills} kills, ${versions.length} versions, ${writers.flatMap((one) => one.conflicts).length} conflicts`,
    );
    await Promise.all(writers.map(({ page }) => page.context().close()));
    await server.stop();
    await door.close();
    rmSync(dataDir, { recursive: true, force: true });
  }, 1_200_000);
});
