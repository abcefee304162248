import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { projectPath } from '../../src/lib/program.ts';
import { describeInBrowser, useBrowser } from '../support/browser.ts';
import { startForSdk } from '../support/sdk.ts';
import { recording } from '../support/speech.ts';

/** What a program of somebody else does, on a page or in a worker of another origin. */
const program = `
import { createSteno, follow, list, StenoError, upload } from '/sdk.js';

export async function run(url, key, audio) {
  const steno = createSteno({ url, key, headers: { 'steno-strict': '1' } });
  const { next_cursor: lastEventId } = await steno.GET('/api/v1/changes');
  const { data: note } = await steno.POST('/api/v1/notes/create', { body: { content: 'From a browser' } });
  const listed = [];
  for await (const { preview } of list(steno, '/api/v1/notes/list', { params: { query: { fields: 'id,preview' } } }))
    listed.push(preview);
  let told;
  for await (const { event, data } of follow(steno, '/api/v1/changes/events', { lastEventId }))
    if (event === 'change') { told = data.id; break; }
  const progress = [];
  const id = await upload(steno, new Blob([audio]), { pieceBytes: 50_000, onProgress: (bytes) => progress.push(bytes) });
  const error = await steno.GET('/api/v1/notes/{id}', { params: { path: { id: crypto.randomUUID() } } }).catch((cause) => cause);
  await steno.DELETE('/api/v1/notes/{id}', { params: { path: { id: note.id } } });
  return {
    listed, isTold: told === note.id, progress: progress.at(-1), recording: typeof id,
    error: error instanceof StenoError && [error.status, error.code, typeof error.requestId],
  };
}`;
const worker = `
import { run } from '/program.js';
onmessage = ({ data }) => run(...data).then(postMessage, (error) => postMessage(String(error)));`;
const page = `<!doctype html><script type="module">
import { run } from '/program.js';
window.inPage = run;
window.inWorker = (...given) => new Promise((resolve) => {
  const worker = new Worker('/worker.js', { type: 'module' });
  worker.onmessage = ({ data }) => resolve(data);
  worker.postMessage(given);
});
</script>`;

describeInBrowser('the SDK in a browser, on a page of another origin', () => {
  const browser = useBrowser();
  let server: Awaited<ReturnType<typeof startForSdk>>;
  let site: Server;
  beforeAll(async () => {
    server = await startForSdk();
    const bundle = await rolldown({ input: projectPath('sdk/src/index.ts'), platform: 'browser' });
    const { output } = await bundle.generate({ format: 'esm' });
    await bundle.close();
    const files: Record<string, string> = {
      '/sdk.js': output[0].code,
      '/program.js': program,
      '/worker.js': worker,
    };
    site = createServer(({ url = '' }, response) => {
      const script = files[url];
      response.setHeader('content-type', script ? 'text/javascript' : 'text/html').end(script ?? page);
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => site.once('listening', resolve));
  });
  afterAll(async () => {
    site.closeAllConnections();
    site.close();
    await server.close();
  });

  test.each(['inPage', 'inWorker'])('works %s', async (where) => {
    const { key } = await server.steno.person();
    const context = await browser.get().newContext();
    const opened = await context.newPage();
    await opened.goto(`http://127.0.0.1:${(site.address() as AddressInfo).port}/`);
    await opened.waitForFunction('window.inWorker');
    const audio = [...recording({ ms: 30_000, bytes: 120_000 })];
    const given = JSON.stringify([server.origin, key]);
    const found = await opened.evaluate(
      `window.${where}(...${given}, new Uint8Array(${JSON.stringify(audio)}))`,
    );
    expect(found).toEqual({
      listed: ['From a browser'],
      isTold: true,
      progress: 120_000,
      recording: 'string',
      error: [404, 'not_found', 'string'],
    });
    await context.close();
  });
});
