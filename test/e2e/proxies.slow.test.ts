import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request as httpsRequest } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { newFolder, runSteno, type ServerProcess, startServer } from '../support/process.ts';

const host = 'notes.example.org';
/** Not the address of the proxy. */
const client = '127.0.0.2';
const read = (name: string) => readFileSync(join(import.meta.dirname, '../../deploy/proxies', name), 'utf8');
/** Debian's packages put them there. */
const programs = {
  Caddy: '/usr/bin/caddy',
  nginx: '/usr/sbin/nginx',
  HAProxy: '/usr/sbin/haproxy',
};
const hasOpenssl = existsSync('/usr/bin/openssl');

interface Place {
  folder: string;
  /** Of the server. */
  port: string;
  https: number;
  http: number;
}

/** The file of deploy/proxies with other ports and a certificate of our own, and the command that runs it. */
const starts: Record<keyof typeof programs, (place: Place) => string[]> = {
  Caddy({ folder, port, https, http }) {
    const global = `{\n\tadmin off\n\tskip_install_trust\n\thttp_port ${http}\n\thttps_port ${https}\n}\n`;
    const file = join(folder, 'Caddyfile');
    const text = read('Caddyfile')
      .replace(`${host} {`, `${host} {\n\ttls ${folder}/fullchain.pem ${folder}/privkey.pem`)
      .replace('127.0.0.1:8787', `127.0.0.1:${port}`);
    writeFileSync(file, global + text);
    return ['run', '--config', file, '--adapter', 'caddyfile'];
  },
  nginx({ folder, port, https, http }) {
    const text = read('nginx.conf')
      .replace('127.0.0.1:8787', `127.0.0.1:${port}`)
      .replaceAll(`/etc/letsencrypt/live/${host}`, folder)
      .replace(/listen (\[::\]:)?443 ssl;\n\s+listen \[::\]:443 ssl;/, `listen 127.0.0.1:${https} ssl;`)
      .replace(/listen 80;\n\s+listen \[::\]:80;/, `listen 127.0.0.1:${http};`);
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
      .map((kind) => `${kind}_temp_path ${folder}/${kind};`)
      .join(' ');
    const file = join(folder, 'nginx.conf');
    writeFileSync(
      file,
      `daemon off; pid ${folder}/pid; error_log stderr; events {} http { access_log off; ${temporary}\n${text}}`,
    );
    return ['-c', file, '-p', folder];
  },
  HAProxy({ folder, port, https, http }) {
    const chain = ['fullchain.pem', 'privkey.pem'].map((name) => readFileSync(join(folder, name), 'utf8'));
    writeFileSync(join(folder, 'both.pem'), chain.join(''));
    const file = join(folder, 'haproxy.cfg');
    const text = read('haproxy.cfg')
      .replace(
        `bind :443 ssl crt /etc/haproxy/${host}.pem`,
        `bind 127.0.0.1:${https} ssl crt ${folder}/both.pem`,
      )
      .replace('bind :80', `bind 127.0.0.1:${http}`)
      .replace('127.0.0.1:8787', `127.0.0.1:${port}`)
      .replace(/\n.*127\.0\.0\.1:8788/, '');
    writeFileSync(file, text);
    return ['-f', file, '-db'];
  },
};

describe.each(Object.keys(programs) as (keyof typeof programs)[])('behind %s', (name) => {
  describe.runIf(hasOpenssl && existsSync(programs[name]))('with its file of deploy/proxies', () => {
    const folder = mkdtempSync(join(tmpdir(), 'steno-proxy-'));
    const dataDir = newFolder();
    let server: ServerProcess;
    let proxy: ChildProcess;
    let https: number;
    let key = '';
    const agent = new Agent({ rejectUnauthorized: false, servername: host });

    beforeAll(async () => {
      const certificate = `req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=${host} -addext subjectAltName=DNS:${host}`;
      const files = ['-keyout', join(folder, 'privkey.pem'), '-out', join(folder, 'fullchain.pem')];
      spawnSync('openssl', [...certificate.split(' '), ...files]);
      server = await startServer({
        dataDir,
        settings: {
          STENO_TRUSTED_PROXIES: '127.0.0.1',
          STENO_PUBLIC_URL: `https://${host}`,
          STENO_LOG_LEVEL: 'info',
        },
      });
      https = await freePort();
      const http = await freePort();
      const place = { folder, port: new URL(server.address).port, https, http };
      proxy = spawn(programs[name], starts[name](place), {
        stdio: 'ignore',
        env: { ...process.env, HOME: folder },
      });
      const made = await runSteno(['keys', 'create', '--name', 'proxy', '--scopes', 'all', '--json'], {
        STENO_DATA_DIR: dataDir,
      });
      ({ key } = JSON.parse(made.stdout));
      await vi.waitFor(async () => expect((await call('GET', '/healthz')).status).toBe(200), {
        timeout: 60_000,
        interval: 100,
      });
    });
    afterAll(async () => {
      agent.destroy();
      proxy.kill('SIGTERM');
      await server.stop();
      for (const path of [folder, dataDir]) rmSync(path, { recursive: true, force: true });
    });

    function call(
      method: string,
      path: string,
      headers: Record<string, string> = {},
      pieces: AsyncIterable<Buffer> | Iterable<Buffer> = [],
    ): Promise<{ status: number; text: string; headers: Record<string, unknown> }> {
      return new Promise((resolve, reject) => {
        const request = httpsRequest(
          {
            host: '127.0.0.1',
            localAddress: client,
            port: https,
            method,
            path,
            agent,
            headers: { host, ...headers },
          },
          (response) => {
            let text = '';
            response.setEncoding('utf8');
            response.on('data', (piece: string) => {
              text += piece;
            });
            response.once('end', () =>
              resolve({ status: response.statusCode ?? 0, text, headers: response.headers }),
            );
            response.once('error', reject);
          },
        );
        request.once('error', reject);
        (async () => {
          for await (const piece of pieces) request.write(piece);
          request.end();
        })().catch(reject);
      });
    }
    const bearer = () => ({ authorization: `Bearer ${key}` });

    test('a recording of 30 MB arrives whole', async () => {
      const wav = silence(30_000_000);
      const { status, text } = await call(
        'POST',
        '/api/v1/recordings?name=Large',
        { ...bearer(), 'content-type': 'audio/wav', 'content-length': String(wav.length) },
        [wav],
      );
      expect([status, JSON.parse(text).data.bytes]).toEqual([201, wav.length]);
    });

    test('what is refused is refused before its bytes come: nothing is held back', async () => {
      let isAnswered = false;
      // As a slow line does: most of the 30 MB never come.
      async function* slowly() {
        while (!isAnswered) {
          yield silence(1_000);
          await sleep(50);
        }
      }
      const headers = {
        authorization: 'Bearer wrong',
        'content-type': 'audio/wav',
        'content-length': '30000000',
      };
      const refused = await call('POST', '/api/v1/recordings', headers, slowly());
      isAnswered = true;
      expect(refused).toMatchObject({ status: 401, text: expect.stringContaining('invalid_api_key') });
    });

    test('a live upload grows piece by piece, at the public address', async () => {
      const tus = { ...bearer(), 'tus-resumable': '1.0.0' };
      const opened = await call('POST', '/api/v1/recordings/uploads', { ...tus, 'upload-defer-length': '1' });
      expect(opened.status).toBe(201);
      const place = new URL(String(opened.headers.location), `https://${host}`);
      expect(place.host).toBe(host);
      const type = { 'content-type': 'application/offset+octet-stream' };
      for (const offset of [0, 50_000]) {
        const sent = await call(
          'PATCH',
          place.pathname,
          { ...tus, ...type, 'upload-offset': String(offset) },
          [silence(50_000)],
        );
        expect([sent.status, sent.headers['upload-offset']]).toEqual([204, String(offset + 50_000)]);
      }
    });

    test('events come as they happen', async () => {
      const { promise: changed, resolve } = Promise.withResolvers<void>();
      let isReady: () => void = () => {};
      const ready = new Promise<void>((done) => {
        isReady = done;
      });
      const request = httpsRequest(
        {
          host: '127.0.0.1',
          port: https,
          path: '/api/v1/changes/events',
          agent,
          headers: { host, ...bearer(), accept: 'text/event-stream' },
        },
        (response) => {
          let text = '';
          response.setEncoding('utf8').on('data', (piece: string) => {
            text += piece;
            if (text.includes('ready')) isReady();
            if (text.includes('"created"')) resolve();
          });
          response.on('error', () => {});
        },
      ).on('error', () => {});
      request.end();
      await ready;
      const json = { ...bearer(), 'content-type': 'application/json' };
      const body = Buffer.from(JSON.stringify({ content: 'Heard at once' }));
      expect((await call('POST', '/api/v1/notes/create', json, [body])).status).toBe(201);
      await changed;
      request.destroy();
    });

    test('the address of the client is known, and no client can name another', async () => {
      const answer = await call('GET', '/api/v1/me', { ...bearer(), 'x-forwarded-for': '203.0.113.9' });
      expect(answer.status).toBe(200);
      const id = String(answer.headers['x-request-id']);
      await expect.poll(() => server.output()).toContain(id);
      const line =
        server
          .output()
          .split('\n')
          .find((each) => each.includes(id)) ?? '';
      expect(JSON.parse(line).address).toBe(client);
    });

    test('people sign in: the cookie is for https, and the page may write', async () => {
      const printed = await runSteno(['users', 'sign-in-link'], {
        STENO_DATA_DIR: dataDir,
        STENO_PUBLIC_URL: `https://${host}`,
      });
      const link = new URL(/https:\S+/.exec(printed.stdout)?.[0] ?? '');
      const page = await call('GET', link.pathname + link.search);
      const cookie = String(page.headers['set-cookie']).split(';')[0] ?? '';
      const signedIn = await call('POST', link.pathname + link.search, { cookie, origin: `https://${host}` });
      expect([signedIn.status, String(signedIn.headers['set-cookie'])]).toEqual([
        303,
        expect.stringContaining('Secure'),
      ]);
    });
  });
});

/** A WAV file of so many bytes. */
function silence(bytes: number): Buffer {
  const wav = Buffer.alloc(bytes);
  wav.write('RIFF', 0);
  wav.writeUInt32LE(bytes - 8, 4);
  wav.write('WAVEfmt ', 8);
  wav.writeUInt32LE(16, 16);
  wav.writeUInt16LE(1, 20);
  wav.writeUInt16LE(1, 22);
  wav.writeUInt32LE(16_000, 24);
  wav.writeUInt32LE(32_000, 28);
  wav.writeUInt16LE(2, 32);
  wav.writeUInt16LE(16, 34);
  wav.write('data', 36);
  wav.writeUInt32LE(bytes - 44, 40);
  return wav;
}
