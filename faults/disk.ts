import { spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isHonest, sentence, statusOf, until } from './client.ts';
import type { Fault } from './fault.ts';
import { withServer } from './scene.ts';

const diskMegabytes = 16;

/** Runs a command with a small disk of its own at the folder `$0`. Root can, and others where users may make namespaces. */
const smallDisk = (folder: string) => [
  '/usr/bin/unshare',
  ...(process.getuid?.() === 0 ? [] : ['--user', '--map-root-user']),
  '--mount',
  '--propagation=private',
  '/bin/sh',
  '-c',
  `mount -t tmpfs -o size=${diskMegabytes}m tmpfs "$0" && exec "$@"`,
  folder,
];

const isPossible = () => {
  const folder = mkdtempSync(join(tmpdir(), 'steno-disk-'));
  const [program = '', ...args] = smallDisk(folder);
  const { status } = spawnSync(program, [...args, '/bin/true'], { stdio: 'ignore' });
  rmSync(folder, { recursive: true });
  return status === 0;
};

function fill(path: string): void {
  const file = openSync(path, 'w');
  try {
    for (const size of [65_536, 4_096, 1]) writeUntilFull(file, Buffer.alloc(size));
  } finally {
    closeSync(file);
  }
}

function writeUntilFull(file: number, bytes: Buffer): void {
  try {
    while (writeSync(file, bytes) === bytes.length);
  } catch {
    // It is full.
  }
}

export const diskFull: Fault = {
  fault: 'the disk is full, SQLite',
  promise:
    '503 with Retry-After, no half recording; reading and deleting work; back by itself, with every acknowledged write',
  async run({ rounds }) {
    if (!isPossible()) return { held: true, figure: 'not tried: this system gives nobody a small disk' };
    const folder = mkdtempSync(join(tmpdir(), 'steno-disk-'));
    try {
      return await withServer({ dataDir: folder, within: smallDisk(folder) }, async ({ client, server }) => {
        const { address } = server;
        const filler = `/proc/${server.pid}/root${folder}/filler`;
        let [refused, dishonest, slowest, unread, half, undeleted] = [0, 0, 0, 0, 0, 0];
        const upload = (file: Buffer) => client.call(address, 'POST', '/recordings', file);
        const states = async () =>
          (await client.call(address, 'GET', '/recordings')).data.map(
            ({ state }: { state: string }) => state,
          );
        const first = await client.write(address);
        const unwanted = async () =>
          (await client.call(address, 'POST', '/notes/create', { content: 'y'.repeat(50_000) })).data.id;
        for (let round = 0; round < rounds; round += 1) {
          // There is room for the row of it, but not for its sound.
          if (!isHonest(await upload(Buffer.alloc(2 * diskMegabytes * 1_048_576)))) dishonest += 1;
          half += (await states()).length - round;
          const [one, other] = [await unwanted(), await unwanted()];
          fill(filler);
          if (!isHonest(await upload(sentence))) dishonest += 1;
          for (let tries = 0; tries < 20; tries += 1) {
            const answer = await client.write(address, 'x'.repeat(20_000));
            if (answer.status === 201) continue;
            refused += 1;
            if (!isHonest(answer)) dishonest += 1;
          }
          const reading = await client.call(address, 'GET', `/notes/${first.data.id}`);
          if (reading.status !== 200 || (await statusOf(address, '/healthz')) !== 200) unread += 1;
          for (const path of [`/notes/${one}`, `/notes/trash/${one}`, `/notes/${other}`])
            await client.call(address, 'DELETE', path);
          const trash = (await client.call(address, 'GET', '/notes/trash')).data;
          const inTrash: string[] = trash.map(({ id }: { id: string }) => id);
          if (inTrash.includes(one) || !inTrash.includes(other)) undeleted += 1;
          rmSync(filler);
          slowest = Math.max(slowest, await until(async () => (await client.write(address)).status === 201));
          await until(async () => (await upload(sentence)).status === 201);
          await until(async () => (await states()).every((state: string) => state === 'done'));
        }
        half += (await states()).length - rounds;
        const lost = await client.lost(address);
        return {
          held: refused > 0 && dishonest + unread + lost + half + undeleted === 0,
          figure: `${refused} refused, ${dishonest} without 503 and Retry-After; ${client.acknowledged.size} writes acknowledged, ${lost} lost; ${half} recordings half kept; ${undeleted} not deleted; back in ${slowest} ms`,
        };
      });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};
