import { spawn, spawnSync } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { encodeForm } from '../support/form.ts';
import { freePort } from '../support/postgres.ts';
import { firstSignIn, newFolder, startServer } from '../support/process.ts';

const root = join(import.meta.dirname, '../..');
const read = (name: string) => readFileSync(join(root, name), 'utf8');
const isRoot = process.platform === 'linux' && process.getuid?.() === 0;

/** The lines of the last stage, each instruction on one line. */
const image =
  read('Dockerfile')
    .replaceAll('\\\n', ' ')
    .split(/^FROM /m)
    .at(-1)
    ?.split('\n') ?? [];
const instruction = (name: string) =>
  image.filter((line) => line.startsWith(`${name} `)).map((line) => line.slice(name.length + 1));
/** A command as a list; its program is the Node that npm installed. */
const commandIn = (line = ''): string[] => JSON.parse(line.slice(line.indexOf('[')));

describe('the Dockerfile', () => {
  test('runs as an ordinary user, with programs and files that are there', () => {
    expect(instruction('USER')).toEqual(['node']);
    const own = image.join('\n').match(/(bin|assets|node_modules\/node)\/[\w./-]+/g) ?? [];
    expect(own.length).toBeGreaterThan(3);
    for (const name of own) expect([name, existsSync(join(root, name))]).toEqual([name, true]);
  });

  test('checks the health of the server: 0 while it answers, 1 when it does not', async () => {
    const dataDir = newFolder();
    onTestFinished(() => rmSync(dataDir, { recursive: true }));
    const server = await startServer({ dataDir });
    const [program = '', ...args] = commandIn(instruction('HEALTHCHECK')[0]);
    const check = () =>
      new Promise((resolve) => {
        const env = { STENO_PORT: new URL(server.address).port };
        spawn(join(root, program), args, { cwd: root, env }).once('exit', resolve);
      });
    expect(await check()).toBe(0);
    await server.stop();
    expect(await check()).toBe(1);
  });
});

describe('compose.yaml', () => {
  const { services, volumes } = parse(read('compose.yaml'));

  test('keeps both services from what they do not need', () => {
    expect(services.steno).toMatchObject({ read_only: true, cap_drop: ['ALL'] });
    for (const service of [services.steno, services.database])
      expect(service.security_opt).toContain('no-new-privileges:true');
    // Only this machine reaches the server, and nobody outside the network reaches the database.
    expect(services.steno.ports).toEqual(['127.0.0.1:8787:8787']);
    expect(services.database.ports).toBeUndefined();
  });

  test('keeps the data in volumes, and waits for the database', () => {
    const mounted = [services.steno, services.database].flatMap(({ volumes: list }) => list);
    expect(mounted.map((mount: string) => mount.split(':')[0])).toEqual(Object.keys(volumes));
    expect(mounted[0]).toBe(`steno:${instruction('VOLUME')[0]}`);
    expect(services.steno.depends_on.database.condition).toBe('service_healthy');
    expect(services.database.healthcheck.test).toContain('pg_isready');
  });
});

const hasAnalyze = spawnSync('/usr/bin/systemd-analyze', ['--version']).status === 0;
describe.runIf(hasAnalyze)('the unit of systemd', () => {
  test('is valid, and exposes little', () => {
    const folder = mkdtempSync(join(tmpdir(), 'steno-unit-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const unit = join(folder, 'steno.service');
    // Its program must exist.
    writeFileSync(unit, read('deploy/steno.service').replaceAll('/opt/steno', root));
    const verified = spawnSync('/usr/bin/systemd-analyze', ['verify', unit], { encoding: 'utf8' });
    expect([verified.status, verified.stderr]).toEqual([0, '']);
    for (const name of ['steno-backup.service', 'steno-backup.timer', 'steno-backup-hourly.timer'])
      writeFileSync(join(folder, name), read(`deploy/${name}`).replaceAll('/opt/steno', root));
    for (const name of ['steno-backup.timer', 'steno-backup-hourly.timer'])
      expect(
        spawnSync('/usr/bin/systemd-analyze', ['verify', join(folder, name)], { encoding: 'utf8' }),
      ).toMatchObject({
        status: 0,
        stderr: '',
      });
    // In tenths, from 0 to 100; a unit without any protection has 96.
    const args = ['security', '--offline=yes', '--threshold=25', unit];
    expect(spawnSync('/usr/bin/systemd-analyze', args, { encoding: 'utf8' }).status).toBe(0);
  });
});

describe.runIf(isRoot)('the server of the image', () => {
  test('starts and transcribes as an ordinary user who can write to nothing but its data', {
    tags: 'slow',
  }, async () => {
    const data = newFolder();
    const user = 1000;
    chownSync(data, user, user);
    const port = await freePort();
    const [program = '', ...args] = commandIn(instruction('CMD')[0]);
    // As the container sees it: one writable folder, an empty /tmp (unless the project is there), everything else read-only.
    const emptyTmp = root.startsWith('/tmp/') ? 'true' : 'mount -t tmpfs tmpfs /tmp';
    const walls = `mount --bind "$0" "$0" && mount --bind "$0" /mnt && mount -o remount,bind,ro / &&
      ${emptyTmp} && exec setpriv --reuid=${user} --regid=${user} --clear-groups --no-new-privs -- "$@"`;
    const server = spawn(
      '/usr/bin/unshare',
      ['--mount', '--propagation=private', 'sh', '-c', walls, data, join(root, program), ...args],
      { cwd: root, env: { PATH: process.env.PATH, STENO_DATA_DIR: '/mnt', STENO_PORT: String(port) } },
    );
    const ended = new Promise((resolve) => server.once('exit', resolve));
    onTestFinished(async () => {
      server.kill();
      await ended;
      rmSync(data, { recursive: true });
    });
    let printed = '';
    for (const stream of [server.stdout, server.stderr])
      stream.setEncoding('utf8').on('data', (text) => {
        printed += text;
      });
    await expect.poll(() => printed, { timeout: 60_000 }).toContain('Steno listens on');
    const key = /owk_live_[\w-]{43}/.exec(firstSignIn(data))?.[0];
    const { payload, headers } = encodeForm({ file: readFileSync(join(root, 'assets/ask-not.ogg')) });
    const answer = await fetch(`http://127.0.0.1:${port}/api/v1/transcribe`, {
      method: 'POST',
      headers: { ...headers, authorization: `Bearer ${key}` },
      body: payload,
    });
    expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('your country')]);
  });
});
