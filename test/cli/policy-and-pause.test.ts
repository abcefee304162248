import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runBeside } from '../support/cli.ts';
import { anyDatabase, startSteno, type TestSteno } from '../support/steno.ts';

const unknownId = '0199a000-0000-7000-8000-000000000000';

describe.each(anyDatabase)('beside a server on %s', (databaseKind) => {
  let steno: TestSteno;
  beforeAll(async () => {
    steno = await startSteno({ databaseKind });
  });
  afterAll(() => steno.close());

  const run = (argv: string[], settings: { transcriptionPaused?: boolean } = {}) =>
    runBeside(steno, argv, settings);
  const json = async (...argv: string[]) => JSON.parse((await run([...argv, '--json'])).join('\n'));

  test('"pause" begins, shows and ends the pause that the server obeys', async () => {
    expect(await run(['pause'])).toEqual(['Transcription is not paused.']);
    expect(await run(['pause', 'on'])).toEqual(['Transcription is paused until you run "steno pause off".']);
    await expect(steno.pause.check()).rejects.toMatchObject({ code: 'service_unavailable' });
    const [shown] = await run(['pause', 'on', '--minutes', '30']);
    const { until } = await steno.pause.state();
    expect(shown).toBe(`Transcription is paused until ${until}.`);
    expect(await run(['pause'])).toEqual([shown]);
    expect(await run(['pause', 'off'])).toEqual(['Transcription is not paused.']);
    await steno.pause.check();
  });

  test('"pause off" says when the setting is stronger', async () => {
    expect(await run(['pause', 'off'], { transcriptionPaused: true })).toEqual([
      'Transcription is paused by the setting STENO_TRANSCRIPTION_PAUSED.',
    ]);
  });

  test('with --json they print what scripts want', async () => {
    expect(await json('pause', 'on', '--minutes', '30')).toEqual({ paused: true, until: expect.any(String) });
    expect(await json('pause', 'off')).toEqual({ paused: false, until: null });
    const { workspace, user } = await steno.team();
    expect(await json('workspaces', 'manage', workspace.id, user.id, 'on')).toMatchObject({
      user_id: user.id,
      managed: true,
    });
    const block = ['--block-transcription', 'on'];
    expect(await json('workspaces', 'policy', workspace.id, ...block)).toEqual({
      block_cloud_transcription: true,
      block_cloud_backup: false,
      block_language_models: false,
    });
  });

  test.each([
    [['pause', 'maybe']],
    [['pause', 'off', '--minutes', '3']],
    [['pause', 'on', '--minutes', '0']],
    [['pause', 'on', '--minutes', '1.5']],
    [['workspaces', 'policy']],
    [['workspaces', 'policy', unknownId, '--block-backup', 'yes']],
    [['workspaces', 'manage', unknownId, unknownId, 'maybe']],
  ])('%j is wrong usage and changes nothing', async (argv) => {
    await expect(run(argv)).rejects.toThrow(/^error: /);
    expect((await steno.pause.state()).paused).toBe(false);
  });

  test('"workspaces manage" and "workspaces policy" close a route of the running server at once', async () => {
    const { user, key } = await steno.person({ name: 'Grace' });
    const { id } = await steno.workspaces.create({ userId: user.id }, { name: 'Org', plan: 'business' });
    const addWord = async () =>
      (await steno.call('POST', '/dictionary/create', { key, body: { word: 'word' } })).status;
    expect(await run(['workspaces', 'policy', id])).toEqual(['Turned off for managed members: nothing.']);
    expect(await run(['workspaces', 'manage', id, user.id, 'on'])).toEqual([`Grace is managed by ${id}.`]);
    const block = ['workspaces', 'policy', id, '--block-backup', 'on', '--block-transcription', 'on'];
    expect(await run(block)).toEqual(['Turned off for managed members: cloud transcription, cloud backup.']);
    expect(await run(['workspaces', 'policy', id, '--block-transcription', 'off'])).toEqual([
      'Turned off for managed members: cloud backup.',
    ]);
    await expect.poll(addWord).toBe(403);
    expect(await run(['workspaces', 'manage', id, user.id, 'off'])).toEqual([
      `Grace is no longer managed by ${id}.`,
    ]);
    await expect.poll(addWord).toBe(201);
  });

  test('an unknown workspace, user or member is not found', async () => {
    const { user } = await steno.person();
    const { workspace } = await steno.team();
    for (const argv of [
      ['policy', unknownId],
      ['policy', unknownId, '--block-backup', 'on'],
      ['manage', workspace.id, unknownId, 'on'],
      ['manage', workspace.id, user.id, 'on'],
    ])
      await expect(run(['workspaces', ...argv])).rejects.toMatchObject({ code: 'not_found' });
  });
});
