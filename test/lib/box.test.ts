import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { getPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { boxedCommand } from '../../src/lib/box.ts';
import { startWorkerProcess, type WorkerProcessOptions } from '../../src/lib/worker-process.ts';
import type { Probe } from '../support/probe-worker.ts';

const script = new URL('../support/probe-worker.ts', import.meta.url);
const denied = 'ERR_ACCESS_DENIED';
const isLinux = process.platform === 'linux';
const isRoot = process.getuid?.() === 0;

describe('the box of native code', () => {
  const folder = mkdtempSync(join(tmpdir(), 'steno-box-'));
  const [secret, readable, writable] = ['secret', 'readable', 'writable'].map((name) => join(folder, name));
  const listener = createServer();
  beforeAll(async () => {
    // Only the box stands between the process and the secret: anybody may read these files.
    chmodSync(folder, 0o755);
    for (const path of [secret, readable]) writeFileSync(path ?? '', 'x', { mode: 0o644 });
    process.env.STENO_AUTH_SECRET = 'a secret of the server';
    await once(listener.listen(0, '127.0.0.1'), 'listening');
  });
  afterAll(() => {
    delete process.env.STENO_AUTH_SECRET;
    listener.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function probe(options: Partial<WorkerProcessOptions> = {}) {
    const worker = startWorkerProcess({ script, memoryCapBytes: 1e9, ...options });
    onTestFinished(async () => {
      worker.kill();
      await worker.exited;
    });
    const { port } = listener.address() as AddressInfo;
    return worker.request({
      messages: [{ secret, readable, writable, port } as Probe],
      deadlineMs: 60_000,
      receive: (message) => message,
    });
  }

  test('has no files but those it is given, starts nothing, and knows no setting of the server', async () => {
    expect(await probe({ read: [readable ?? ''] })).toMatchObject({
      reads: { secret: denied, passwords: denied, root: denied, given: 'done' },
      writes: { given: denied },
      starts: { process: denied, thread: denied, native: 'done' },
      environment: {},
    });
    expect(await probe()).toMatchObject({ reads: { given: denied } });
  });

  test('writes only to the folders it is given', async () => {
    expect(await probe({ write: [folder] })).toMatchObject({ writes: { given: 'done' } });
  });

  test('runs at a lower priority than the server', async () => {
    const { priority } = (await probe()) as { priority: number };
    // 19 is the lowest there is.
    expect(priority).toBe(Math.min(getPriority() + 5, 19));
  });

  // A container may forbid namespaces. Then the command has no such wall, and there is nothing to see.
  const { execPath, execArgv } = boxedCommand({ script, memoryCapBytes: 1e9 });
  const command = [execPath, ...execArgv];
  test.runIf(command.includes('--net'))('has no network', async () => {
    expect(await probe()).toMatchObject({ connects: 'ENETUNREACH' });
  });

  test.runIf(command.includes('--pdeathsig=KILL'))(
    'ends with its server, even if it cannot run any more',
    async () => {
      const parent = `import { startWorkerProcess } from '${new URL('../../src/lib/worker-process.ts', import.meta.url)}';
        console.log(startWorkerProcess({ script: new URL('${script}'), memoryCapBytes: 1e9 }).pid);`;
      const server = spawn(process.execPath, ['--input-type=module', '-e', parent]);
      const [printed] = await once(server.stdout, 'data');
      const pid = Number(printed);
      const about = (name: string) => readFileSync(`/proc/${pid}/${name}`, 'utf8');
      // Until the last of the programs that put up the walls has become it.
      await vi.waitFor(() => expect(about('cmdline').startsWith(process.execPath)).toBe(true), 20_000);
      process.kill(pid, 'SIGSTOP');
      server.kill('SIGKILL');
      await vi.waitFor(() => expect(() => process.kill(pid, 0)).toThrow('ESRCH'), 20_000);
    },
  );

  test.runIf(isRoot && isLinux)('is not root, even if the server is', async () => {
    expect(await probe()).toMatchObject({ uid: 65_534, groups: [65_534] });
  });

  test.runIf(command.includes('--no-new-privs'))('can gain no privilege, and has limits', async () => {
    const worker = startWorkerProcess({ script, memoryCapBytes: 1e9 });
    onTestFinished(async () => {
      worker.kill();
      await worker.exited;
    });
    const { port } = listener.address() as AddressInfo;
    // It answers, so the programs that put up the walls have become it.
    await worker.request({
      messages: [{ secret, readable, writable, port } as Probe],
      deadlineMs: 60_000,
      receive: (message) => message,
    });
    const about = (name: string) => readFileSync(`/proc/${worker.pid}/${name}`, 'utf8');
    expect(about('status')).toMatch(/^NoNewPrivs:\s+1$/m);
    expect(about('status')).toMatch(/^CapEff:\s+0+$/m);
    expect(about('limits')).toMatch(/^Max data size\s+2000000000 /m);
    expect(about('limits')).toMatch(/^Max file size\s+0 /m);
    expect(about('limits')).toMatch(/^Max core file size\s+0 /m);
  });
});
