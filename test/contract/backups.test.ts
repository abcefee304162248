import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import S3rver from 's3rver';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAudioFolder, openAudioStore } from '../../src/platform/audio-store/index.ts';
import { listBackups, makeBackup, openBackup, rotate } from '../../src/platform/backup/backups.ts';
import { type BackupPlace, openPlace } from '../../src/platform/backup/place.ts';

const folder = mkdtempSync(join(tmpdir(), 'steno-backups-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function* chunks(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}
let count = 0;
const audio = createAudioFolder(join(folder, 'sounds'));
const keep = (id: string, text: string) => audio.append(id, 0, chunks(text), async () => {});
/** A database of one line. */
const copies = (text: string, recordings: { id: string; bytes: number }[]) => ({
  kind: 'sqlite' as const,
  async copyTo(file: string) {
    writeFileSync(file, text);
    return recordings;
  },
});
const at = (day: number) => ({ steno: '1.0.0', at: new Date(Date.UTC(2026, 0, day)) });
const make = (
  place: BackupPlace,
  day: number,
  recordings: { id: string; bytes: number }[],
  store: typeof audio | null = audio,
) =>
  makeBackup(
    {
      place,
      copies: copies(`day ${day}`, recordings),
      audio: store,
      scratch: join(folder, `scratch-${count++}`),
    },
    at(day),
  );

const one = { id: 'one', bytes: 5 };
const two = { id: 'two', bytes: 3 };
beforeAll(async () => {
  await keep('one', 'hello');
  await keep('two', 'you');
});

describe.each(['a folder', 'an S3 store'])('backups in %s', (kind) => {
  let server: S3rver | undefined;
  let port = 0;
  beforeAll(async () => {
    if (kind === 'a folder') return;
    server = new S3rver({
      address: '127.0.0.1',
      port: 0,
      silent: true,
      directory: join(folder, 's3'),
      configureBuckets: [{ name: 'steno' }],
    });
    ({ port } = await server.run());
  });
  afterAll(() => server?.close());
  const newPlace = () => {
    const name = `place-${count++}`;
    const s3 = `s3://S3RVER:S3RVER@127.0.0.1:${port}/steno/${name}?tls=no`;
    return openPlace(kind === 'a folder' ? join(folder, name) : s3, openAudioStore);
  };

  test('send audio once, and go with the last backup that names it', async () => {
    const place = await newPlace();
    expect(place.name).not.toContain('S3RVER');
    expect((await make(place, 1, [one])).sent).toBe(1);
    expect((await make(place, 2, [one, two])).sent).toBe(1);
    expect((await make(place, 3, [two])).sent).toBe(0);
    expect(await listBackups(place)).toMatchObject([{ recordings: 1 }, { recordings: 2 }, { recordings: 1 }]);
    expect(await rotate(place, 1)).toHaveLength(2);
    expect([...(await place.list()).keys()].filter((name) => name.endsWith('.audio'))).toEqual([
      'two-3.audio',
    ]);
    expect(await rotate(place, 1)).toEqual([]);
    await openBackup(place, undefined, { withAudio: true });
  });

  test('bring back every byte', async () => {
    const place = await newPlace();
    const { backup } = await make(place, 1, [one, two]);
    await make(place, 2, []);
    const found = await openBackup(place, backup, { withAudio: true });
    await found.fetchDatabase(join(folder, 'fetched'));
    expect(readFileSync(join(folder, 'fetched'), 'utf8')).toBe('day 1');
    const other = createAudioFolder(join(folder, `other-${count++}`));
    await other.append('one', 0, chunks('jello'), async () => {});
    await other.append('two', 0, chunks('you'), async () => {});
    expect(await found.fetchAudio(other)).toBe(1);
    let text = '';
    for await (const chunk of other.read('one', { start: 0, end: 5 })) text += Buffer.from(chunk).toString();
    expect(text).toBe('hello');
  });

  test('say what they leave out', async () => {
    const place = await newPlace();
    const gone = { id: 'gone', bytes: 9 };
    expect((await make(place, 1, [one, gone])).manifest).toMatchObject({
      audio: [{ id: 'one' }],
      left_out: [gone],
    });
    expect((await make(place, 2, [one], null)).manifest).toMatchObject({ audio: [], left_out: [one] });
  });

  test.each([
    ['the manifest cut', '.manifest', (bytes: Buffer) => bytes.subarray(0, -20)],
    ['the manifest empty', '.manifest', () => Buffer.from('{}')],
    [
      'an entry of the manifest taken out',
      '.manifest',
      (bytes: Buffer) => Buffer.from(bytes.toString().replace(/,\{"id":"two"[^}]+\}/, '')),
    ],
    [
      'another size in the manifest',
      '.manifest',
      (bytes: Buffer) => Buffer.from(bytes.toString().replace('"bytes":5', '"bytes":4')),
    ],
    ['the database missing', '.database', null],
    ['the database cut', '.database', (bytes: Buffer) => bytes.subarray(0, -1)],
    [
      'a byte of the database changed',
      '.database',
      (bytes: Buffer) => Buffer.from(bytes.toString().replace('day', 'dax')),
    ],
    ['audio missing', 'one-5.audio', null],
    ['audio cut', 'one-5.audio', (bytes: Buffer) => bytes.subarray(0, -1)],
    ['a byte of audio changed', 'one-5.audio', () => Buffer.from('jello')],
    ['the audio of another recording', 'one-5.audio', () => Buffer.from('youyo')],
  ])('are refused with %s', async (_, ending, change) => {
    const place = await newPlace();
    await make(place, 1, [one, two]);
    const files = await place.list();
    const name = [...files.keys()].find((file) => file.endsWith(ending)) ?? '';
    const parts: Uint8Array[] = [];
    for await (const part of place.read(name, files.get(name) ?? 0)) parts.push(part);
    const changed = change?.(Buffer.concat(parts));
    expect(changed?.equals(Buffer.concat(parts)) ?? false).toBe(false);
    if (changed === undefined) await place.remove(name);
    else await place.put(name, chunks(changed.toString()));
    await expect(openBackup(place, undefined, { withAudio: true })).rejects.toMatchObject({
      code: 'validation_error',
      message: expect.stringMatching(/missing, cut or changed/),
    });
    const isAudio = ending.endsWith('audio');
    const opened = openBackup(place, undefined, { withAudio: false }).then(
      () => true,
      () => false,
    );
    expect(await opened).toBe(isAudio);
  });
});

test('a place without backups is none, and a backup of another name is not there', async () => {
  const place = await openPlace(join(folder, 'empty'), openAudioStore);
  await expect(openBackup(place, undefined, { withAudio: true })).rejects.toThrow(
    'is not a place of backups',
  );
  await make(place, 1, []);
  await expect(openBackup(place, 'other', { withAudio: true })).rejects.toMatchObject({ code: 'not_found' });
  await expect(openPlace(join(folder, 'no/such'), openAudioStore)).rejects.toThrow('does not exist');
});
