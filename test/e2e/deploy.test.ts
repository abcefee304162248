import { execFileSync, spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  globSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { settings } from '../../src/settings.ts';
import { encodeForm } from '../support/form.ts';
import { freePort } from '../support/free-port.ts';
import { newFolder, runSteno, startServer } from '../support/process.ts';

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
/** A command as a list. */
const commandIn = (line = ''): string[] => JSON.parse(line.slice(line.indexOf('[')));

describe('the Dockerfile', () => {
  test('runs as an ordinary user, with one Node and the program on the path', () => {
    expect(instruction('USER')).toEqual(['steno']);
    expect(commandIn(instruction('CMD')[0])).toEqual(['steno', 'serve']);
    expect(image.join('\n')).toContain('ln -s /opt/steno/bin/steno.js /usr/local/bin/steno');
    expect(read('Dockerfile').match(/npm ci .*/g)).toEqual(['npm ci --omit=dev --ignore-scripts']);
  });

  test('has a layer for the packages that no change of the code makes anew', () => {
    const lines = read('Dockerfile').split('\n');
    const install = lines.findIndex((line) => line.startsWith('RUN npm ci'));
    const copied = lines.slice(0, install).filter((line) => line.startsWith('COPY'));
    expect(copied.join(' ')).not.toMatch(/src|COPY \. /);
    // All that npm reads: the manifests of workspaces and of packages in folders.
    const { workspaces, dependencies } = JSON.parse(read('package.json'));
    const inFolders = Object.values<string>(dependencies).filter((spec) => spec.startsWith('file:'));
    for (const path of [...workspaces, ...inFolders.map((spec) => spec.slice(5))])
      expect(copied.join(' ')).toContain(path);
  });

  test('checks the health of the server: 0 while it answers, 1 when it does not', async () => {
    const dataDir = newFolder();
    onTestFinished(() => rmSync(dataDir, { recursive: true }));
    const server = await startServer({ dataDir });
    const [program, ...args] = commandIn(instruction('HEALTHCHECK')[0]);
    expect(program).toBe('node');
    const check = () =>
      new Promise((resolve) => {
        const env = { STENO_PORT: new URL(server.address).port };
        spawn(process.execPath, args, { cwd: root, env }).once('exit', resolve);
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
    // biome-ignore lint/suspicious/noTemplateCurlyInString: Compose puts the value in.
    expect(services.steno.ports).toEqual(['127.0.0.1:${STENO_PUBLISHED_PORT:-8787}:8787']);
    expect(services.database.ports).toBeUndefined();
  });

  test('keeps the data in volumes, and waits for the database', () => {
    const mounted = [services.steno, services.database].flatMap(({ volumes: list }) => list);
    expect(mounted.map((mount: string) => mount.split(':')[0])).toEqual(Object.keys(volumes));
    expect(
      mounted
        .slice(0, 2)
        .map((mount: string) => mount.split(':')[1])
        .join(' '),
    ).toBe(instruction('VOLUME')[0]);
    expect(services.steno.depends_on.database.condition).toBe('service_healthy');
    expect(services.database.healthcheck.test).toContain('pg_isready');
  });
});

describe('compose.yaml', () => {
  test('passes every setting on', () => {
    const given = Object.keys(parse(read('compose.yaml')).services.steno.environment);
    const ofTheImage = ['STENO_HOST', 'STENO_PORT', 'STENO_DATA_DIR'];
    // A file of settings would have to be in the container.
    const all = Object.keys(settings.shape).filter((name) => name !== 'STENO_ENV_FILE');
    expect([...given, ...ofTheImage].sort()).toEqual(all.sort());
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
    const opt = newFolder();
    chmodSync(opt, 0o755);
    const user = 1000;
    chownSync(data, user, user);
    const folder = join(opt, 'steno');
    execFileSync(process.execPath, [join(root, 'scripts/package.js'), '--folder', folder]);
    // Debian's slim image takes at most 100 MB, Node 125.
    const bytes = globSync('**', { cwd: folder, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
    expect((bytes + 225e6) / 1e6).toBeLessThan(900);
    const [program = '', ...args] = commandIn(instruction('CMD')[0]);
    const linked = join(opt, `linked-${program}`);
    symlinkSync(join(folder, 'bin/steno.js'), linked);
    const port = await freePort();
    // As the container sees it: one writable folder, an empty /tmp (unless the project is there), everything else read-only.
    const emptyTmp = opt.startsWith('/tmp/') ? 'true' : 'mount -t tmpfs tmpfs /tmp';
    const walls = `mount --bind "$0" "$0" && mount --bind "$0" /mnt && mount -o remount,bind,ro / &&
      ${emptyTmp} && exec setpriv --reuid=${user} --regid=${user} --clear-groups --no-new-privs -- "$@"`;
    const server = spawn(
      '/usr/bin/unshare',
      ['--mount', '--propagation=private', 'sh', '-c', walls, data, linked, ...args],
      {
        cwd: folder,
        env: {
          PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
          STENO_DATA_DIR: '/mnt',
          STENO_PORT: String(port),
        },
      },
    );
    const ended = new Promise((resolve) => server.once('exit', resolve));
    onTestFinished(async () => {
      server.kill();
      await ended;
      for (const path of [data, opt]) rmSync(path, { recursive: true });
    });
    let printed = '';
    for (const stream of [server.stdout, server.stderr])
      stream.setEncoding('utf8').on('data', (text) => {
        printed += text;
      });
    await expect.poll(() => printed, { timeout: 60_000 }).toContain('Steno listens on');
    const made = await runSteno(['keys', 'create', '--name', 'try', '--scopes', 'all', '--json'], {
      STENO_DATA_DIR: data,
    });
    const { key } = JSON.parse(made.stdout);
    const { payload, headers } = encodeForm({ file: readFileSync(join(root, 'assets/ask-not.ogg')) });
    const answer = await fetch(`http://127.0.0.1:${port}/api/v1/transcribe`, {
      method: 'POST',
      headers: { ...headers, authorization: `Bearer ${key}` },
      body: payload,
    });
    expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('your country')]);
  });
});
