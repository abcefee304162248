import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { conform, type Result } from '../../conformance/conform.ts';
import { json, junit, markdown, table } from '../../conformance/report.ts';
import { defaultPlans, type PlanName } from '../../src/domain/plans.ts';
import { createAudioDecoder } from '../../src/engines/audio/decoder.ts';
import { createFakeTranscriber } from '../../src/engines/speech/fake.ts';
import { projectPath } from '../../src/lib/program.ts';
import { type Spoiled, spoilingProxy } from '../support/spoiling-proxy.ts';
import { startSteno, type TestSteno } from '../support/steno.ts';

const failures = (results: Result[]) =>
  results
    .filter(({ outcome }) => outcome === 'failed')
    .map(({ sentence, detail }) => `${sentence}: ${detail}`);

/** What a server says of MP3, M4A and FLAC on the few systems that have no decoder of them. */
const noDecoder = 'This server reads only WAV and Opus recordings';

describe('the conformance walk', () => {
  let steno: TestSteno;
  let origin: string;
  let walker: Awaited<ReturnType<typeof newWalker>>;

  beforeAll(async () => {
    // So many that no walk has to wait for the next minute; of business so few that it can use up a key.
    const business = { ...defaultPlans.business, requestsPerMinute: 1_000 };
    const pro = { ...defaultPlans.pro, requestsPerMinute: 100_000, requestsPerDay: 100_000 };
    steno = await startSteno({
      config: { plans: { ...defaultPlans, pro, business } },
      speech: { decoder: createAudioDecoder(), transcriber: createFakeTranscriber() },
    });
    origin = await steno.app.listen({ host: '127.0.0.1', port: 0 });
    walker = await newWalker('business');
    const { key } = walker;
    // More than a page of each by default, so that a wrong default shows.
    for (let count = 0; count < 51; count += 1)
      await steno.call('POST', '/notes/create', { key, body: { content: `Seed ${count}` } });
    for (let from = 0; from < 201; from += 100) {
      const words = Array.from({ length: 100 }, (_, at) => `seed${from + at}`);
      await steno.call('POST', '/dictionary/create', { key, body: { words } });
    }
  });
  afterAll(() => steno.close());

  async function newWalker(plan: PlanName) {
    const { key, user } = await steno.person({ plan });
    const { token } = await steno.signIn(user);
    return { key, workspaceKey: (await steno.team()).key, session: token };
  }
  const count = async (path: string) =>
    (await steno.call('GET', `${path}?limit=100`, { key: walker.key })).body.data.length;

  test('finds nothing wrong with this server, and leaves nothing behind', async () => {
    const results = await conform({ baseUrl: `${origin}/api/v1`, ...walker });
    expect(failures(results).filter((failure) => !failure.includes(noDecoder))).toEqual([]);
    const passed = results.filter(({ outcome }) => outcome === 'passed').length;
    expect(passed).toBeGreaterThan(90);
    if (failures(results).length === 0)
      expect(readFileSync(projectPath('README.md'), 'utf8')).toContain(
        `${passed} of ${passed} checks of the contract`,
      );
    expect(await count('/notes/list')).toBe(51);
    expect(await count('/transcriptions/list')).toBe(0);
    expect(await count('/snippets/list')).toBe(0);
    const { keys } = (await steno.call('GET', '/keys/list', { key: walker.session })).body.data;
    expect(keys).toHaveLength(1);
  });

  test('finds every extension here; README.md has the score of both profiles', async () => {
    const results = await conform({ baseUrl: `${origin}/api/v1`, ...walker, profile: 'extensions' });
    expect(failures(results)).toEqual([]);
    const passed = results.filter(({ outcome }) => outcome === 'passed').length;
    expect(readFileSync(projectPath('README.md'), 'utf8')).toContain(
      `${passed} of ${passed} of the extensions`,
    );
    expect(await count('/notes/list')).toBe(51);
  });

  test('as a package, in an empty folder, it writes a table to publish', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'steno-conformance-'));
    const run = async (cwd: string, command: string, ...args: string[]) =>
      (
        await promisify(execFile)(command, args, {
          cwd,
          env: { ...process.env, npm_config_update_notifier: 'false' },
        })
      ).stdout;
    try {
      await run(folder, process.execPath, projectPath('conformance/build.js'), join(folder, 'built'));
      const packed = (await run(join(folder, 'built'), 'npm', 'pack')).trim().split('\n').at(-1) ?? '';
      const empty = join(folder, 'empty');
      mkdirSync(empty);
      await run(empty, 'npm', 'init', '-y');
      await run(empty, 'npm', 'install', '--offline', join(folder, 'built', packed));
      const args = ['--base-url', `${origin}/api/v1`, '--key', walker.key, '--profile', 'extensions'];
      const files = ['--markdown', 'table.md', '--json', 'all.json'];
      const said = await run(empty, 'npx', 'steno-conformance', ...args, ...files);
      expect(said).toContain('0 failed');
      expect(readFileSync(join(empty, 'table.md'), 'utf8')).toMatch(/\| \*\*all\*\* \| (\d+) of \1 \|/);
      const { failed, results } = JSON.parse(readFileSync(join(empty, 'all.json'), 'utf8'));
      expect([failed, results.length > 10]).toEqual([0, true]);
      expect(existsSync(join(empty, 'node_modules/steno-conformance/sound/jfk.wav'))).toBe(true);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  /** Removes a field from every answer of the path. */
  const without = (path: RegExp, field: string) => (answer: Spoiled, url: string) => {
    if (!path.test(url) || answer.status >= 300) return;
    const data = answer.body?.data;
    for (const item of [answer.body, data, ...(Array.isArray(data) ? data : [])])
      if (typeof item === 'object' && item !== null) delete item[field];
  };
  const withoutHeader = (name: string) => (answer: Spoiled) => answer.headers.delete(name);

  test.each<[string, string[], (answer: Spoiled, url: string) => void]>([
    ['the client_note_id of notes', ['Notes'], without(/notes/, 'client_note_id')],
    ['the revision of notes', ['Versions'], without(/notes/, 'revision')],
    ['the note of a conflict', ['Versions'], ({ status, body }) => void (status === 409 && delete body.data)],
    ['the participants of notes', ['Notes'], without(/notes/, 'participants')],
    ['the score of found notes', ['Notes'], without(/search/, 'score')],
    ['next_cursor', ['Snippets'], without(/snippets\/list/, 'next_cursor')],
    ['the sort_order of folders', ['Folders'], without(/folders/, 'sort_order')],
    ['the plan in the usage', ['Usage'], without(/usage/, 'plan')],
    ['the key_prefix of a new key', ['Keys'], without(/keys\/create/, 'key_prefix')],
    ['the source of dictionary words', ['Dictionary'], without(/dictionary/, 'source')],
    ['the description of spaces', ['Workspace keys'], without(/spaces/, 'description')],
    ['the preview', ['Fields, names and errors'], without(/fields=/, 'preview')],
    ['the status of rows', ['Many at once'], without(/-many/, 'status')],
    ['X-Error-Param', ['Fields, names and errors'], withoutHeader('x-error-param')],
    ['Allow', ['Ground rules'], withoutHeader('allow')],
    ['Retry-After', ['Agent set-up', 'Every answer'], withoutHeader('retry-after')],
    ['X-Request-Id', ['Usage', 'Every answer'], withoutHeader('x-request-id')],
    ['X-RateLimit-Remaining', ['Usage', 'Every answer'], withoutHeader('x-ratelimit-remaining')],
    ['RateLimit', ['Usage', 'Every answer'], withoutHeader('ratelimit')],
    ['Access-Control-Allow-Origin', ['Usage', 'Every answer'], withoutHeader('access-control-allow-origin')],
    [
      'the message of errors',
      ['Folders', 'Every answer'],
      ({ status, body }) => void (status >= 400 && delete body.error.message),
    ],
    [
      'the status 201',
      ['Snippets'],
      (answer) => {
        if (answer.status === 201) answer.status = 200;
      },
    ],
  ])('notices when %s is gone', async (_name, only, spoil) => {
    const proxy = await spoilingProxy(origin, spoil);
    try {
      const results = await conform({
        baseUrl: `${proxy.origin}/api/v1`,
        ...(await newWalker('pro')),
        profile: 'all',
        only,
      });
      expect(failures(results)).not.toEqual([]);
    } finally {
      await proxy.close();
    }
  });

  test('a key that does not work is said at once', async () => {
    const wrong = conform({ baseUrl: `${origin}/api/v1`, key: 'owk_live_wrong' });
    await expect(wrong).rejects.toThrow('/me answered 401');
  });

  test('the table and the JUnit file say what failed and why', () => {
    const results: Result[] = [
      { part: 'Notes', sentence: 'A & B', outcome: 'passed', detail: '', seconds: 0.5 },
      { part: 'Notes', sentence: 'C', outcome: 'failed', detail: 'got <html> "x"\u0001', seconds: 0 },
      { part: 'Keys', sentence: 'D', outcome: 'unseen', detail: 'needs the session', seconds: 0 },
    ];
    expect(table(results)).toContain('FAIL  C\n        got <html> "x"');
    expect(table(results)).toContain('1 passed, 1 failed, 1 could not be seen');
    const about = { server: 'https://one.example', profile: 'contract', at: '2026-05-01T12:00:00.000Z' };
    expect(markdown(results, about)).toContain('| Notes | 1 of 2 | 0 |');
    expect(markdown(results, about)).toContain('- Notes: C (got <html>');
    expect(JSON.parse(json(results, about))).toMatchObject({
      ...about,
      passed: 1,
      failed: 1,
      unseen: 1,
      results,
    });
    const xml = junit(results);
    expect(xml).toContain('<testsuite name="Notes" tests="2" failures="1" skipped="0">');
    expect(xml).toContain('name="A &amp; B" time="0.500"></testcase>');
    expect(xml).toContain('<failure message="got &lt;html&gt; &quot;x&quot;"/>');
    expect(xml).toContain('<skipped message="needs the session"/>');
  });
});
