import { once } from 'node:events';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { checkFormats } from '../../src/cli/doctor-speech.ts';
import { BadAudio } from '../../src/domain/speech-errors.ts';
import { readableFormats } from '../../src/engines/audio/decoder.ts';
import { createOidcProvider, type OidcClient } from '../../src/engines/sign-in/oidc.ts';
import { checkProvider } from '../../src/features/operator/status/provider.ts';
import { startFakeModel } from '../support/fake-model.ts';
import { freePort } from '../support/free-port.ts';
import { oidcClient, startOidcProvider } from '../support/openid.ts';
import { newFolder, runSteno, startServer } from '../support/process.ts';
import { anyDatabase, emptyDatabase } from '../support/steno.ts';

interface Check {
  check: string;
  state: string;
  found: string;
  fix: string | null;
}

let dataDir: string;
beforeEach(() => {
  dataDir = newFolder();
});
afterEach(() => rmSync(dataDir, { recursive: true, force: true }));

/** Without the clip, which takes seconds; whoever asks for it has a test of their own. */
async function doctor(settings: Record<string, string>, args: readonly string[] = ['--no-speech']) {
  const ended = await runSteno(['doctor', '--json', ...args], {
    STENO_DATA_DIR: dataDir,
    STENO_PORT: '0',
    ...settings,
  });
  const { ok, checks }: { ok: boolean; checks: Check[] } = JSON.parse(ended.stdout);
  expect(ended.code).toBe(ok ? 0 : 1);
  const notOk = checks.filter(({ state }) => state !== 'ok');
  for (const { fix } of notOk) expect(fix).toEqual(expect.any(String));
  return { ok, checks, notOk, stderr: ended.stderr };
}

/** Changes the database behind the program's back. */
function sabotage(sql: string): void {
  const database = new DatabaseSync(join(dataDir, 'steno.db'), { enableForeignKeyConstraints: false });
  database.exec(sql);
  database.close();
}

describe.each(anyDatabase)('doctor beside a running server on %s', (databaseKind) => {
  test('finds everything in order', async () => {
    const { config, dispose } = await emptyDatabase(databaseKind);
    const port = await freePort();
    const server = await startServer({ ...config, settings: { STENO_PORT: String(port) } });
    const report = await doctor({
      STENO_DATA_DIR: config.dataDir,
      STENO_DATABASE_URL: config.databaseUrl,
      STENO_PORT: String(port),
    });
    expect(report).toMatchObject({ ok: true, notOk: [], stderr: '' });
    expect(report.checks.map(({ check }) => check)).toEqual([
      'node',
      'settings',
      'plan free',
      'plan pro',
      'plan business',
      'disk',
      'database',
      'migrations',
      'search index',
      'recordings',
      'backup',
      'clock',
      'port',
      'language model',
    ]);
    expect(report.checks.at(-2)?.found).toBe(`a Steno server answers on 127.0.0.1:${port}`);
    await server.stop();
    await dispose();
  });
});

describe('doctor', () => {
  test('before the first start is content and creates nothing', async () => {
    expect(await doctor({ STENO_DATA_DIR: join(dataDir, 'new') })).toMatchObject({ ok: true, notOk: [] });
    const ended = await runSteno(['doctor', '--no-speech'], {
      STENO_DATA_DIR: join(dataDir, 'new'),
      STENO_PORT: '0',
    });
    expect(ended.stdout).toMatch(/^CHECK +STATE +FOUND\n/);
    expect(ended.stdout).toContain('the first start creates it');
    expect(ended.stdout).toContain('Everything is in order.');
    expect(existsSync(join(dataDir, 'new'))).toBe(false);
  });

  test('tries the language model and says what it can do, or why it does not answer', async () => {
    const model = await startFakeModel();
    const found = async (settings: Record<string, string>) =>
      (await doctor(settings)).checks.find(({ check }) => check === 'language model');
    try {
      expect(await found({})).toMatchObject({
        state: 'ok',
        found: expect.stringContaining('no text leaves'),
      });
      expect(await found({ STENO_LLM_URL: model.url })).toMatchObject({
        state: 'ok',
        found: expect.stringMatching(
          /^fake at http:.*: window 8192 tokens, streams, first word after .* s, \d+ tokens/,
        ),
      });
      model.next('html');
      expect(await found({ STENO_LLM_URL: model.url })).toMatchObject({ state: 'broken' });
    } finally {
      await model.close();
    }
  });

  test('asks the sign-in provider whether people can sign in with it', async () => {
    const provider = await startOidcProvider([]);
    let odd: object = {};
    let date = new Date();
    const fake = createHttpServer((_, response) => {
      const endpoint = `${issuer}/x`;
      const usual = { authorization_endpoint: endpoint, token_endpoint: endpoint, jwks_uri: endpoint };
      response.setHeader('content-type', 'application/json');
      response.setHeader('date', date.toUTCString());
      response.end(JSON.stringify({ issuer, ...usual, ...odd }));
    }).listen(0, '127.0.0.1');
    await once(fake, 'listening');
    const issuer = `http://127.0.0.1:${(fake.address() as AddressInfo).port}`;
    const asked = (settings: Partial<OidcClient> = {}) => {
      const client = { issuer, clientId: 'steno', clientSecret: '', name: '', scopes: '', groupsClaim: '' };
      const made = createOidcProvider({ ...client, ...settings }, { clock: Date.now });
      return checkProvider(made).finally(made.close);
    };
    try {
      const { checks } = await doctor({
        STENO_OIDC_ISSUER: provider.issuer,
        STENO_OIDC_CLIENT_ID: oidcClient.clientId,
      });
      expect(checks.at(-1)).toMatchObject({
        check: 'sign-in provider',
        state: 'ok',
        found: expect.stringMatching(`^${provider.issuer} answers, offers PKCE, its clock differs by \\d s$`),
      });
      expect(await asked()).toMatchObject({
        state: 'ok',
        found: expect.stringContaining('does not say whether it offers PKCE'),
      });
      odd = { code_challenge_methods_supported: ['plain'] };
      expect(await asked()).toMatchObject({ state: 'warning', found: expect.stringContaining('PKCE') });
      odd = { issuer: 'https://other.example' };
      expect(await asked()).toMatchObject({ state: 'broken', found: expect.stringContaining('"issuer"') });
      odd = { jwks_uri: undefined };
      expect(await asked()).toMatchObject({ state: 'broken', found: expect.stringContaining('jwks_uri') });
      odd = {};
      date = new Date(Date.now() - 600_000);
      expect(await asked()).toMatchObject({ state: 'broken', found: expect.stringContaining('its clock') });
      const nobody = await asked({ issuer: `http://127.0.0.1:${await freePort()}` });
      expect(nobody).toMatchObject({ state: 'broken', found: expect.stringContaining('ECONNREFUSED') });
      // The guarded dialer: plain http is for this machine alone.
      const inside = await asked({ issuer: 'http://10.0.0.1' });
      expect(inside).toMatchObject({
        state: 'broken',
        found: expect.stringContaining('must start with https'),
      });
    } finally {
      fake.close();
      await provider.close();
    }
  });

  test('names settings that cannot be used, and warns of unknown ones', async () => {
    expect(await doctor({ STENO_PORT: 'x' })).toMatchObject({
      ok: false,
      notOk: [{ check: 'settings', state: 'broken', found: expect.stringContaining('STENO_PORT') }],
      stderr: 'Problems found: settings.\n',
    });
    expect(await doctor({ STENO_PROT: '80' })).toMatchObject({
      ok: true,
      notOk: [{ check: 'settings', state: 'warning', found: 'unknown: STENO_PROT' }],
    });
  });

  test('shows the plans in force, and which of them the file changes', async () => {
    const file = join(dataDir, 'plans.json');
    writeFileSync(file, '{"free":{"requestsPerMinute":7,"transcription":true,"audioMinutesPerMonth":5}}');
    const { checks } = await doctor({ STENO_PLANS_FILE: file });
    const found = (name: string) => checks.find(({ check }) => check === `plan ${name}`)?.found;
    expect(found('free')).toBe(
      `7 requests a minute, 1000 a day, 2000 words a week, transcription of 5 audio minutes a month; changed by ${file} (STENO_PLANS_FILE)`,
    );
    expect(found('business')).toBe(
      '300 requests a minute, 50000 a day, unlimited words, transcription of 600 audio minutes a month',
    );
    const builtIn = (await doctor({})).checks.find(({ check }) => check === 'plan free');
    expect(builtIn?.found).toBe('30 requests a minute, 1000 a day, 2000 words a week, no transcription');
  });

  test('transcribes the built-in clip with the real engine and says how long it took', {
    tags: 'slow',
  }, async () => {
    const { ok, checks } = await doctor({}, []);
    expect(ok).toBe(true);
    expect(checks.at(-3)).toMatchObject({ check: 'audio formats', state: 'ok' });
    expect(checks.at(-2)).toMatchObject({ check: 'speech', state: 'ok' });
    expect(checks.at(-1)).toMatchObject({
      check: 'other languages',
      found: 'whisper-small-q8, 99 languages',
    });
    expect(checks.at(-2)?.found).toMatch(
      /^embedded whisper-base\.en on ONNX Runtime recognised \d+ % of .+ in \d+\.\d s$/,
    );
  });

  test('warns of a decoder that reads WAV and Opus only, and only these are listed as formats', async () => {
    const decoder = {
      open: () => Promise.reject(new BadAudio('This server reads only WAV and Opus recordings.')),
      close: async () => {},
    };
    expect((await readableFormats(decoder)).formats).toEqual(['wav', 'ogg', 'webm']);
    expect(await checkFormats(decoder)).toMatchObject({
      check: 'audio formats',
      state: 'warning',
      found: expect.stringContaining('only WAV and Opus'),
      fix: expect.stringContaining('libasound2'),
    });
  });

  test('says what to fix when the speech engine does not work, or only pretends', {
    tags: 'slow',
  }, async () => {
    const noModel = await doctor({ STENO_MODEL: join(dataDir, 'none.bin') }, []);
    expect(noModel.notOk).toMatchObject([
      { check: 'speech', state: 'broken', fix: expect.stringContaining('STENO_MODEL') },
    ]);
    const url = `http://127.0.0.1:${await freePort()}`;
    const noServer = await doctor({ STENO_ENGINE_URL: url, STENO_ENGINE_KEY: 'hush' }, []);
    expect(noServer.notOk).toMatchObject([
      { check: 'speech', state: 'broken', fix: expect.stringContaining('STENO_ENGINE_URL') },
    ]);
    expect(JSON.stringify(noServer)).not.toContain('hush');
    const deaf = createHttpServer((request, response) => {
      request.resume();
      response.setHeader('content-type', 'application/json').end('{"text":"Good morning."}');
    });
    const port = await freePort();
    await new Promise<void>((resolve) => deaf.listen(port, '127.0.0.1', resolve));
    expect((await doctor({ STENO_ENGINE_URL: `http://127.0.0.1:${port}` }, [])).notOk).toMatchObject([
      { check: 'speech', state: 'broken', found: expect.stringContaining(" 0 % of the clip's words") },
    ]);
    await new Promise((resolve) => deaf.close(resolve));
    expect((await doctor({ STENO_ENGINE: 'fake' }, [])).notOk).toMatchObject([
      { check: 'speech', state: 'warning' },
    ]);
  });

  test('sees a port that another program has taken', async () => {
    const other = createServer((socket) => socket.destroy());
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const address = other.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    expect(await doctor({ STENO_PORT: String(port) })).toMatchObject({
      ok: false,
      notOk: [{ check: 'port', found: `${port} is taken by another program` }],
    });
    await new Promise((resolve) => other.close(resolve));
  });

  test('sees a database that cannot be reached, without its password', async () => {
    const port = await freePort();
    const report = await doctor({ STENO_DATABASE_URL: `postgres://steno:hush@127.0.0.1:${port}/steno` });
    expect(report).toMatchObject({ ok: false, notOk: [{ check: 'database', state: 'broken' }] });
    expect(JSON.stringify(report)).not.toContain('hush');
  });

  test('sees a search index that disagrees, rows without their owner, notes of the future, a newer database', async () => {
    const server = await startServer({ dataDir });
    await fetch(`${server.address}/api/v1/notes/create`, {
      method: 'POST',
      headers: { authorization: `Bearer ${server.key}`, 'content-type': 'application/json' },
      body: '{"content":"a note"}',
    });
    await server.stop();
    expect(await doctor({})).toMatchObject({ ok: true, notOk: [] });

    sabotage('delete from search_entries where seq = 1');
    expect((await doctor({})).notOk).toMatchObject([
      { check: 'search index', found: 'notes that differ: 1' },
    ]);
    sabotage("update notes set folder_id = 'gone', created_at = '2999-01-01T00:00:00.000Z'");
    expect((await doctor({})).notOk).toMatchObject([
      { check: 'database', found: 'damaged: rows of notes refer to rows that are gone' },
      { check: 'search index' },
      { check: 'clock', found: expect.stringContaining('2999') },
    ]);
    sabotage("insert into schema_migrations values ('9999_future', 'x', '')");
    expect((await doctor({})).notOk).toMatchObject([
      { check: 'migrations', fix: expect.stringContaining('newer than this Steno') },
    ]);
  });

  test('sees migrations that the next start will run, and does not run them', async () => {
    await (await startServer({ dataDir })).stop();
    sabotage("delete from schema_migrations where name >= '0003'");
    for (let time = 0; time < 2; time += 1)
      expect(await doctor({})).toMatchObject({
        ok: true,
        notOk: [{ check: 'migrations', state: 'warning' }],
      });
  });
});
