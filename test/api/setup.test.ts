import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, inject, test } from 'vitest';
import { readSettingsFile, settingsFile } from '../../src/settings-file.ts';
import { startFakeModel } from '../support/fake-model.ts';
import { capturedLog } from '../support/log.ts';
import { openMailbox } from '../support/mailbox.ts';
import { startSteno, type TestOptions, type TestSteno } from '../support/steno.ts';

const path = '/api/operator/setup';
const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** A new server with its first account, signed in. */
async function begin({
  environment = {},
  ...options
}: TestOptions & { environment?: Record<string, string> } = {}) {
  const restarts: { userId: string; undo(): void }[] = [];
  const restart = (finished: (typeof restarts)[number]) => restarts.push(finished);
  const steno = await startSteno({
    setup: { environment, restart, problem: null },
    databaseKind: 'sqlite',
    ...options,
  });
  closing.push(steno.close);
  const created = await steno.users.createOwner({ opensSetup: true });
  if (!created) throw new Error('The database is not new.');
  const session = await steno.signIn(created.user);
  const call = (method: string, body?: object, key = session.token) =>
    steno.call(method, path, { key, ...(body && { body }) });
  const check = (body: object, key = session.token) => steno.call('POST', `${path}/check`, { key, body });
  return { steno, owner: created.user, firstKey: created.key, restarts, call, check, ...session };
}

const wrong = ({ status, body, headers }: Awaited<ReturnType<TestSteno['call']>>) => [
  status,
  body.error.code,
  headers['x-error-param'],
];
const kept = (steno: TestSteno) => readSettingsFile(steno.config.dataDir);

describe('set-up of a new server', () => {
  test('keeps what was entered for the next start, names no secret, and is over', async () => {
    const captured = capturedLog();
    const { steno, owner, token, call, restarts } = await begin({ log: captured.log });
    expect((await call('GET')).body.data).toMatchObject({ state: 'open', problem: null });
    const entered = {
      name: 'Ada',
      email: ' Ada@Example.org ',
      public_url: 'https://notes.example.org',
      smtp_url: 'smtp://ada:hush-hush@mail.example.org:587',
      mail_from: 'Steno "of" Ada <steno@example.org>',
      signup: 'example.org',
      llm_url: 'http://127.0.0.1:11434',
      llm_key: 'sk-hush-hush',
      backup_url: 's3://KEY:hush-hush@s3.example.org/steno',
    };
    const finished = await call('POST', entered);
    expect([finished.status, finished.body.data.state]).toEqual([200, 'applying']);
    expect(restarts).toEqual([{ userId: owner.id, undo: expect.any(Function) }]);
    expect(kept(steno)).toEqual({
      STENO_PUBLIC_URL: entered.public_url,
      STENO_SMTP_URL: entered.smtp_url,
      STENO_MAIL_FROM: entered.mail_from,
      STENO_SIGNUP: entered.signup,
      STENO_LLM_URL: entered.llm_url,
      STENO_LLM_KEY: entered.llm_key,
      STENO_BACKUP_URL: entered.backup_url,
    });
    expect(await steno.users.find(owner.id)).toMatchObject({ name: 'Ada', email: 'ada@example.org' });
    const { data: events } = (await steno.call('GET', '/api/audit?limit=100', { key: token })).body;
    expect(events).toContainEqual(
      expect.objectContaining({
        act: 'setup.finished',
        via: 'session',
        actor_id: owner.id,
        detail:
          'STENO_PUBLIC_URL, STENO_SMTP_URL, STENO_MAIL_FROM, STENO_SIGNUP, STENO_LLM_URL, STENO_LLM_KEY, STENO_BACKUP_URL',
      }),
    );
    expect(JSON.stringify(events) + captured.text() + finished.text).not.toContain('hush');
  });

  test('can be skipped as a whole; nothing is written and the server goes on', async () => {
    const { steno, call, check, restarts } = await begin();
    expect((await call('POST', {})).body.data.state).toBe('closed');
    expect(restarts).toEqual([]);
    expect(existsSync(settingsFile(steno.config.dataDir))).toBe(false);
    const late = await call('POST', { signup: 'open' });
    expect(wrong(late)).toEqual([409, 'conflict', undefined]);
    expect(late.body.error.message).toContain('settings.env');
    expect((await check({})).status).toBe(409);
    expect(kept(steno)).toEqual({});
  });

  test('of two pages that finish at once, one wins', async () => {
    const { steno, call, restarts } = await begin();
    const urls = ['https://one.example.org', 'https://two.example.org'];
    const answers = await Promise.all(urls.map((public_url) => call('POST', { public_url })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect(restarts).toHaveLength(1);
    expect(kept(steno)).toEqual({
      STENO_PUBLIC_URL: urls[answers.findIndex(({ status }) => status === 200)],
    });
    expect((await call('GET')).body.data.state).toBe('applying');
  });

  test.each([
    [{ public_url: 'notes.example.org' }, 'public_url'],
    [{ public_url: 'javascript:alert(1)' }, 'public_url'],
    [{ smtp_url: 'https://mail.example.org' }, 'smtp_url'],
    [{ mail_from: 'a\nBcc: b@example.org' }, 'mail_from'],
    [{ llm_key: 'x\nSTENO_SIGNUP=open' }, 'llm_key'],
    [{ signup: 'perhaps' }, 'signup'],
    [{ backup_url: 'backups' }, 'backup_url'],
    [{ model: '../../etc/passwd' }, 'model'],
    [{ email: 'nobody' }, 'email'],
    [{ name: 'a\u0007' }, 'name'],
  ])('%j is refused by name, and nothing is kept', async (entered, field) => {
    const { steno, call, check, restarts } = await begin();
    const others = { signup: 'open', ...entered };
    expect(wrong(await call('POST', others))).toEqual([400, 'validation_error', field]);
    if (field !== 'model') expect(wrong(await check(others))).toEqual([400, 'validation_error', field]);
    expect([kept(steno), restarts]).toEqual([{}, []]);
    expect((await call('GET')).body.data.state).toBe('open');
    const [user] = await steno.users.list();
    expect(user).toMatchObject({ name: 'Owner', email: null });
  });

  test('backups do not go into the folder of recordings', async () => {
    const { steno, call } = await begin();
    const inside = join(steno.config.recordings.folder, 'backups');
    expect(wrong(await call('POST', { backup_url: inside }))).toEqual([
      400,
      'validation_error',
      'backup_url',
    ]);
  });

  test('a setting of the environment is shown as such and stays', async () => {
    const environment = { STENO_SMTP_URL: 'smtp://env:hush@mail.example.org', STENO_MAIL_FROM: '' };
    const { call, steno } = await begin({ environment, config: { smtpUrl: environment.STENO_SMTP_URL } });
    const { items } = (await call('GET')).body.data;
    expect(items[1]).toEqual({
      item: 'mail',
      value: 'mail.example.org, from Steno <steno@localhost>',
      settings: ['STENO_SMTP_URL', 'STENO_MAIL_FROM'],
      environment: ['STENO_SMTP_URL'],
    });
    const refused = await call('POST', { smtp_url: 'smtp://other.example.org', signup: 'open' });
    expect(wrong(refused)).toEqual([409, 'conflict', undefined]);
    expect(refused.body.error.message).toContain('STENO_SMTP_URL is set by the environment');
    expect(kept(steno)).toEqual({});
    expect((await call('POST', { mail_from: 'Steno <s@example.org>' })).status).toBe(200);
  });

  test('a disk that cannot be written to is 503, and set-up stays open', async () => {
    const { call, steno } = await begin();
    // In the way of the file, also for root.
    mkdirSync(`${settingsFile(steno.config.dataDir)}.new/full`, { recursive: true });
    const refused = await call('POST', { signup: 'open' });
    expect([refused.status, refused.headers['retry-after']]).toEqual([503, '10']);
    expect((await call('GET')).body.data.state).toBe('open');
    rmSync(`${settingsFile(steno.config.dataDir)}.new`, { recursive: true });
    expect((await call('POST', { signup: 'open' })).status).toBe(200);
  });

  test('one of the models on the server is chosen', async () => {
    const { call, steno, restarts } = await begin();
    const folder = join(steno.config.dataDir, 'models');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'whisper-tiny.bin'), '');
    expect((await call('GET')).body.data.models).toEqual(['whisper-base.en', 'whisper-tiny']);
    expect((await call('POST', { model: 'whisper-tiny' })).status).toBe(200);
    expect(readFileSync(join(folder, 'in-use'), 'utf8')).toBe('whisper-tiny\n');
    expect(existsSync(settingsFile(steno.config.dataDir))).toBe(false);
    restarts[0]?.undo();
    expect(existsSync(join(folder, 'in-use'))).toBe(false);
  });

  test('is open again, and says why, after the server could not start with what was entered', async () => {
    const problem = 'STENO_PUBLIC_URL must be empty or a URL.';
    const { call, owner, steno } = await begin({ setup: { environment: {}, restart() {}, problem } });
    expect((await call('GET')).body.data).toMatchObject({ state: 'open', problem });
    await call('POST', {});
    expect((await call('GET')).body.data).toMatchObject({ state: 'closed', problem: null });
    await steno.store.setup.open(owner.id);
    expect((await call('GET')).body.data).toMatchObject({ state: 'open', problem });
  });

  test('the link of the first start leads to it, and later links do not', async () => {
    const { steno, owner, call } = await begin();
    const follow = async (user: { id: string }) =>
      (await steno.followLink((await steno.sessions.createSignInLink(user.id)).path)).headers.location;
    expect(await follow(owner)).toBe('/operator/setup');
    await call('POST', {});
    expect(await follow(owner)).toBe('/');
    expect(await follow((await steno.person()).user)).toBe('/');
  });
});

describe('nobody else sets the server up', () => {
  test('a second account ends it, whoever makes it, also when it is gone again', async () => {
    const { steno, call, check } = await begin();
    const { user } = await steno.person();
    await steno.users.setOperator(user.id, true);
    const { token } = await steno.signIn(user);
    for (const key of [token, undefined]) {
      expect((await call('GET', undefined, key)).body.data.state).toBe('closed');
      expect(wrong(await call('POST', { signup: 'open' }, key))).toEqual([409, 'conflict', undefined]);
      expect(wrong(await check({ email: 'eve@example.org' }, key))).toEqual([409, 'conflict', undefined]);
    }
    await steno.users.remove(user.id);
    expect((await call('POST', { signup: 'open' })).status).toBe(409);
    expect(kept(steno)).toEqual({});
  });

  test('no key, no page of another site, and not the first account without its right', async () => {
    const { steno, call, owner, firstKey, cookie } = await begin();
    for (const method of ['GET', 'POST'])
      expect((await call(method, method === 'POST' ? {} : undefined, firstKey)).status).toBe(403);
    const send = (origin: string | undefined) =>
      steno.call('POST', path, { body: {}, headers: { cookie, origin } });
    for (const origin of ['https://evil.example', 'null', undefined])
      expect((await send(origin)).status).toBe(403);
    await steno.users.setOperator(owner.id, false);
    expect((await call('POST', {})).status).toBe(403);
    await steno.users.setOperator(owner.id, true);
    expect((await send('http://localhost')).status).toBe(200);
  });

  test('a member is refused', async () => {
    const { steno, call } = await begin();
    const { token } = await steno.signIn((await steno.person()).user);
    for (const method of ['GET', 'POST'])
      expect((await call(method, method === 'POST' ? {} : undefined, token)).status).toBe(403);
  });

  test('a server that was there before never opens it', async () => {
    const steno = await startSteno({ setup: { environment: {}, restart() {}, problem: null } });
    closing.push(steno.close);
    const { user } = await steno.person();
    await steno.users.setOperator(user.id, true);
    expect(await steno.users.createOwner({ opensSetup: true })).toBeUndefined();
    const { token: key } = await steno.signIn(user);
    expect((await steno.call('GET', path, { key })).body.data.state).toBe('closed');
    expect((await steno.call('POST', path, { key, body: {} })).status).toBe(409);
  });

  test.runIf(inject('postgresUrl'))('with PostgreSQL it is only shown', async () => {
    const steno = await startSteno({ databaseKind: 'postgres' });
    closing.push(steno.close);
    const created = await steno.users.createOwner({ opensSetup: false });
    const { token: key } = await steno.signIn({ id: created?.user.id ?? '' });
    expect((await steno.call('GET', path, { key })).body.data.state).toBe('closed');
    const refused = await steno.call('POST', path, { key, body: { signup: 'open' } });
    expect(wrong(refused)).toEqual([409, 'conflict', undefined]);
    expect(refused.body.error.message).toContain('environment');
  });
});

describe('what was entered is tried before it is kept', () => {
  test('a test mail, and what the mail server says', async () => {
    const { check, steno } = await begin();
    const mailbox = await openMailbox();
    closing.push(mailbox.close);
    const mail = { email: 'ada@example.org', smtp_url: mailbox.url, mail_from: 'Steno <s@example.org>' };
    expect((await check(mail)).body.data).toEqual([
      {
        check: 'mail',
        state: 'ok',
        found: expect.stringContaining('took a mail to ada@example.org'),
        fix: null,
      },
    ]);
    expect(mailbox.mails).toMatchObject([{ from: 's@example.org', to: ['ada@example.org'] }]);
    const strict = await openMailbox({ refuse: 'no relaying' });
    closing.push(strict.close);
    const refused = await check({ ...mail, smtp_url: strict.url.replace('//', '//ada:hush@') });
    expect(refused.body.data[0]).toMatchObject({
      state: 'broken',
      found: expect.stringContaining('refuses'),
    });
    expect(refused.text).not.toContain('hush');
    expect(wrong(await check({ email: 'ada@example.org' }))).toEqual([400, 'validation_error', 'smtp_url']);
    expect(kept(steno)).toEqual({});
  });

  test('the language model and the folder for backups', async () => {
    const { check, steno } = await begin();
    const model = await startFakeModel();
    closing.push(model.close);
    const place = join(steno.config.dataDir, 'backups');
    const body = { llm_url: model.url, backup_url: place };
    expect((await check(body)).body.data).toMatchObject([
      { check: 'language model', state: 'ok' },
      { check: 'backup', state: 'ok', found: `${place} can be written to` },
    ]);
    writeFileSync(join(steno.config.dataDir, 'file'), '');
    const bad = { llm_url: 'http://127.0.0.1:1', backup_url: join(steno.config.dataDir, 'file') };
    expect((await check(bad)).body.data).toMatchObject([{ state: 'broken' }, { state: 'broken' }]);
    expect(kept(steno)).toEqual({});
  });
});
