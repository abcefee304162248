import childProcess, { type ForkOptions } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { filesThatRan } from './count.js';

/**
 * Prints through how many files of src one warm call runs, over all processes. The search threads are not counted.
 *
 *     node bench/walk/run.ts [--verbose]
 */
const folder = mkdtempSync(join(tmpdir(), 'steno-walk-'));
const fork = childProcess.fork;
// Without the box, which lets no process write to a folder.
const counted = (script: string | URL, options: ForkOptions) => {
  const execArgv = [
    `--import=${new URL('./count.js', import.meta.url)}`,
    '--disable-warning=ExperimentalWarning',
    '--expose-gc',
  ];
  const env = { ...options.env, STENO_WALK: folder };
  return fork(script, { ...options, execPath: process.execPath, execArgv, env });
};
Object.assign(childProcess, { fork: counted });
syncBuiltinESMExports();

const { compose } = await import('../../src/compose.ts');
const { readConfig } = await import('../../src/config.ts');
const { fakeWriter } = await import('../../src/cli/fake-writer.ts');
const { createDataDir } = await import('../lib/server.ts');
const data = await createDataDir();
const steno = await compose(
  readConfig({
    STENO_DATA_DIR: data.dataDir,
    STENO_ENGINE: 'embedded',
    STENO_LOG_LEVEL: 'error',
    STENO_PORT: '0',
  }),
  // Looking for what webhooks are to be told is not part of a call.
  { webhookPollMs: 3_600_000, writer: fakeWriter },
);
const url = await steno.app.listen({ port: 0 });
const headers = { authorization: `Bearer ${data.key}` };
const clip = readFileSync(new URL('../../assets/ask-not.ogg', import.meta.url));

async function walked(): Promise<Set<string>> {
  await sleep(1_000);
  const files = new Set<string>(await filesThatRan());
  for (const name of readdirSync(folder)) {
    for (const file of JSON.parse(readFileSync(join(folder, name), 'utf8'))) files.add(file);
    rmSync(join(folder, name));
  }
  return files;
}

async function transcribe(): Promise<void> {
  const form = new FormData();
  form.set('file', new Blob([clip], { type: 'audio/ogg' }), 'clip.ogg');
  const answer = await fetch(`${url}/api/v1/transcribe`, { method: 'POST', headers, body: form });
  if (!answer.ok) throw new Error(`POST /transcribe: ${answer.status} ${await answer.text()}`);
  await answer.json();
}

async function record(): Promise<void> {
  const form = new FormData();
  form.set('file', new Blob([clip], { type: 'audio/ogg' }), 'clip.ogg');
  const answer = await fetch(`${url}/api/v1/recordings`, { method: 'POST', headers, body: form });
  if (!answer.ok) throw new Error(`POST /recordings: ${answer.status} ${await answer.text()}`);
  const {
    data: { id },
  } = (await answer.json()) as { data: { id: string } };
  // From the table, so that only the recording's own way is counted.
  const states = steno.database.db.selectFrom('recordings').select('state').where('id', '=', id);
  for (let state = ''; state !== 'done'; await sleep(200)) {
    state = (await states.executeTakeFirstOrThrow()).state;
    if (state === 'failed') throw new Error('the recording failed');
  }
}

const send = (path: string, body?: object) => async () => {
  const answer = await fetch(`${url}/api/v1${path}`, {
    headers: { ...headers, 'content-type': 'application/json' },
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
  });
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  await answer.text();
};

while ((await (await fetch(`${url}/readyz`)).text()).includes('starting')) await sleep(100);
for (const [name, call] of Object.entries({
  'POST /notes/create': send('/notes/create', { title: 'Boat', content: 'The boat leaves at nine.' }),
  'GET /notes/list': send('/notes/list'),
  'POST /ask': send('/ask', { question: 'When does the boat leave?' }),
  'POST /transcribe': transcribe,
  'POST /recordings until done': record,
})) {
  await call();
  await walked();
  await call();
  const files = [...(await walked())].sort();
  console.log(`${name}: ${files.length} files`);
  const rooms = Map.groupBy(files, (file) => (file.includes('/') ? file.split('/')[0] : '.'));
  console.log(
    [...rooms]
      .map(
        ([room, inside]) =>
          `  ${room} ${inside.length}${process.argv.includes('--verbose') ? `: ${inside.join(' ')}` : ''}`,
      )
      .join('\n'),
  );
}
await steno.close();
rmSync(folder, { recursive: true });
data.remove();
process.exit();
