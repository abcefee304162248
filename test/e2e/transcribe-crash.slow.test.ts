import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { afterEach, describe, expect, test } from 'vitest';
import type { Config } from '../../src/config.ts';
import { personalKeysOf } from '../../src/domain/api-key.ts';
import { operator } from '../../src/domain/principal.ts';
import { personalScopes } from '../../src/domain/scopes.ts';
import { composeServices } from '../../src/services.ts';
import { encodeForm } from '../support/form.ts';
import { asOperator } from '../support/identity.ts';
import { recording } from '../support/speech.ts';
import { databaseKinds, emptyDatabase } from '../support/steno.ts';
import { teamActs } from '../support/teams.ts';

const hourMs = 3_600_000;
const start = Date.parse('2026-10-15T12:00:00.000Z');
const script = new URL('../support/speech-server.ts', import.meta.url).pathname;

describe.each(databaseKinds)('a server that is killed while it transcribes, on %s', (databaseKind) => {
  const processes: ChildProcess[] = [];
  afterEach(() => {
    for (const child of processes.splice(0)) child.kill('SIGKILL');
  });

  async function startServer({ dataDir, databaseUrl }: Config, now: number, hold = false) {
    const env = {
      ...process.env,
      STENO_DATA_DIR: dataDir,
      STENO_DATABASE_URL: databaseUrl,
      TEST_NOW: String(now),
      TEST_HOLD: hold ? 'yes' : '',
    };
    const child = spawn(process.execPath, [script], { env, stdio: ['ignore', 'pipe', 'inherit'] });
    processes.push(child);
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const nextLine = async (): Promise<string> => (await lines.next()).value ?? 'ended';
    const address = await nextLine();
    return {
      nextLine,
      async kill() {
        const ended = once(child, 'exit');
        child.kill('SIGKILL');
        await ended;
      },
      async transcribe(key: string, ms: number) {
        const { payload, headers } = encodeForm({ file: recording({ ms, words: 3 }) });
        const response = await fetch(`${address}/api/v1/transcribe`, {
          method: 'POST',
          headers: { ...headers, authorization: `Bearer ${key}` },
          body: payload,
        });
        return response.status;
      },
      async read(key: string, path: string) {
        const response = await fetch(`${address}/api/v1${path}`, {
          headers: { authorization: `Bearer ${key}` },
        });
        const { data } = JSON.parse(await response.text());
        return data;
      },
    };
  }

  test('frees the key when the server is back, loses no minute and charges none twice', async () => {
    const { config, dispose } = await emptyDatabase(databaseKind);
    const services = await composeServices(config);
    const user = await asOperator(services).users.add({ name: 'Ada', email: null, plan: 'business' });
    const draft = { name: 'test', scopes: personalScopes };
    const { key } = await teamActs(services).keys.issue(operator, personalKeysOf(user.id), draft);
    await services.close();

    const first = await startServer(config, start, true);
    const cutOff = first.transcribe(key, 6 * hourMs).catch(() => 'cut off');
    expect(await first.nextLine()).toBe('transcribing');
    await first.kill();
    expect(await cutOff).toBe('cut off');

    const later = await startServer(config, start + 2_000);
    expect(await later.read(key, '/usage')).toMatchObject({ audio_ms_used: 0, words_used: 0 });
    // The whole month's ten hours: nothing of the six that were reserved is left behind.
    expect(await later.transcribe(key, 10 * hourMs)).toBe(200);
    expect(await later.read(key, '/usage')).toMatchObject({ audio_ms_used: 10 * hourMs, words_used: 3 });
    expect(await later.read(key, '/transcriptions/list')).toHaveLength(1);
    await later.kill();
    await dispose();
  });
});
