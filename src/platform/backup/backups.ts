import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream, rmSync } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { AppError, conflict, invalid, serviceUnavailable } from '../../domain/errors.ts';
import type { AudioStore } from '../audio-store/audio-store.ts';
import type { Backups } from '../database/backup-file.ts';
import { digest, type Recording, sizes } from './copy-audio.ts';
import {
  audioName,
  backupsIn,
  databaseName,
  type Manifest,
  manifestName,
  readManifest,
  writeManifest,
} from './manifest.ts';
import type { BackupPlace } from './place.ts';

/** Adds a backup to a place. Audio that an earlier backup there has is not sent again. */
export async function makeBackup(
  {
    place,
    copies,
    audio,
    scratch,
  }: {
    place: BackupPlace;
    copies: Pick<Backups, 'kind' | 'copyTo'>;
    audio: AudioStore | null;
    scratch: string;
  },
  { steno, at }: { steno: string; at: Date },
) {
  const backup = at.toISOString().replaceAll(/[:.]/g, '-');
  const before = await place.list();
  if (before.has(manifestName(backup))) throw conflict(`The backup ${backup} is there already.`);
  const manifest: Manifest = {
    format: 1,
    steno,
    made_at: at.toISOString(),
    database: { kind: copies.kind, bytes: 0, sha256: '' },
    audio: [],
    left_out: [],
  };
  let recordings: Recording[];
  try {
    recordings = await copies.copyTo(scratch);
    Object.assign(manifest.database, await put(place, databaseName(backup), createReadStream(scratch)));
  } finally {
    rmSync(scratch, { force: true });
  }
  const known = audio ? await knownAudio(place, before) : new Map<string, string>();
  const stored = audio ? await sizes(audio) : new Map<string, number>();
  let sent = 0;
  for (const { id, bytes } of recordings) {
    const name = audioName({ id, bytes });
    const sha256 = known.get(name);
    if (sha256 !== undefined) manifest.audio.push({ id, bytes, sha256 });
    else if (audio === null || bytes === 0 || (stored.get(id) ?? 0) < bytes)
      manifest.left_out.push({ id, bytes });
    else {
      manifest.audio.push({ id, ...(await put(place, name, audio.read(id, { start: 0, end: bytes }))) });
      sent += 1;
    }
  }
  await requireWhole(place, manifest, backup);
  await place.put(manifestName(backup), chunk(writeManifest(manifest)));
  return { backup, manifest, sent };
}

async function* chunk(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

/** Counts and digests what goes by. */
function counting(chunks: AsyncIterable<Uint8Array>) {
  const hash = createHash('sha256');
  let bytes = 0;
  return {
    async *[Symbol.asyncIterator]() {
      for await (const part of chunks) {
        hash.update(part);
        bytes += part.length;
        yield part;
      }
    },
    result: () => ({ bytes, sha256: hash.digest('hex') }),
  };
}

async function put(place: BackupPlace, name: string, chunks: AsyncIterable<Uint8Array>) {
  const counted = counting(chunks);
  await place.put(name, counted);
  return counted.result();
}

/** The digests of audio that is there whole. A manifest that cannot be read names none: its audio is sent again. */
async function knownAudio(
  place: BackupPlace,
  files: ReadonlyMap<string, number>,
): Promise<Map<string, string>> {
  const known = new Map<string, string>();
  for (const backup of backupsIn(files)) {
    const manifest = await readManifest(place, backup, files).catch(() => undefined);
    for (const { id, bytes, sha256 } of manifest?.audio ?? [])
      if (files.get(audioName({ id, bytes })) === bytes) known.set(audioName({ id, bytes }), sha256);
  }
  return known;
}

/** Reads the database back, which is new, and looks at the sizes of the rest. */
async function requireWhole(place: BackupPlace, manifest: Manifest, backup: string): Promise<void> {
  const files = await place.list();
  const short = manifest.audio.find((one) => files.get(audioName(one)) !== one.bytes);
  if (short || !(await isWhole(place, databaseName(backup), manifest.database)))
    throw serviceUnavailable(
      `${place.name} does not hold what was written to it; check it, and make the backup again.`,
    );
}

async function isWhole(
  place: BackupPlace,
  name: string,
  { bytes, sha256 }: { bytes: number; sha256: string },
) {
  try {
    const counted = counting(place.read(name, bytes));
    for await (const _ of counted);
    return counted.result().sha256 === sha256;
  } catch {
    // It is missing or ends too early. A place that does not answer fails the list before.
    return false;
  }
}

/** Deletes the oldest backups, and the audio that only they had. Returns the names of those deleted. */
export async function rotate(place: BackupPlace, keep: number): Promise<string[]> {
  const files = await place.list();
  const names = backupsIn(files);
  const [old, kept] = [names.slice(0, -keep), names.slice(-keep)];
  if (old.length === 0) return [];
  // Before anything is deleted: one that cannot be read may name any audio.
  const needed = new Set<string>();
  for (const backup of kept)
    for (const one of (await readManifest(place, backup, files)).audio) needed.add(audioName(one));
  for (const backup of old) {
    const manifest = await readManifest(place, backup, files).catch(() => undefined);
    await place.remove(manifestName(backup));
    await place.remove(databaseName(backup));
    for (const one of manifest?.audio ?? [])
      if (!needed.has(audioName(one))) await place.remove(audioName(one));
  }
  return old;
}

/** The newest backup of the place, or the one of that name, checked to the last byte. Raises `validation_error`. */
export async function openBackup(
  place: BackupPlace,
  wanted: string | undefined,
  { withAudio }: { withAudio: boolean },
) {
  const files = await place.list();
  const backup = wanted ?? backupsIn(files).at(-1);
  if (backup === undefined || !files.has(manifestName(backup)))
    throw new AppError(
      wanted === undefined ? 'validation_error' : 'not_found',
      wanted === undefined
        ? `${place.name} is not a place of backups; give one that "steno backup" wrote to.`
        : `There is no backup ${wanted} in ${place.name}; "steno restore ${place.name} --list" shows what is there.`,
    );
  const manifest = await readManifest(place, backup, files);
  const wrong: string[] = [];
  if (!(await isWhole(place, databaseName(backup), manifest.database))) wrong.push(databaseName(backup));
  for (const one of withAudio ? manifest.audio : [])
    if (!(await isWhole(place, audioName(one), one))) wrong.push(audioName(one));
  if (wrong.length > 0)
    throw invalid(
      `The backup ${backup} in ${place.name} is damaged: ${wrong.length} of ${manifest.audio.length + 1} files are missing, cut or changed, for example ${wrong[0]}. Use another one (--at)${wrong[0] === databaseName(backup) ? '' : ', or leave out the audio with --without-audio'}.`,
    );
  return {
    backup,
    manifest,
    async fetchDatabase(file: string): Promise<void> {
      await pipeline(
        place.read(databaseName(backup), manifest.database.bytes),
        createWriteStream(file, { mode: 0o600 }),
      );
    },
    /** What the store has already, byte by byte, stays. Returns how many were brought back. */
    async fetchAudio(audio: AudioStore): Promise<number> {
      const stored = await sizes(audio);
      let fetched = 0;
      for (const one of manifest.audio) {
        const isThere = stored.get(one.id) === one.bytes;
        if (isThere && (await digest(audio, one.id, one.bytes)) === one.sha256) continue;
        await audio.append(one.id, 0, place.read(audioName(one), one.bytes), async () => {});
        fetched += 1;
      }
      return fetched;
    },
  };
}

/** The backups of a place, the newest first. */
export async function listBackups(place: BackupPlace) {
  const files = await place.list();
  const rows = [];
  for (const backup of backupsIn(files).reverse()) {
    const manifest = await readManifest(place, backup, files).catch(() => undefined);
    const total =
      (manifest?.database.bytes ?? 0) + (manifest?.audio ?? []).reduce((sum, { bytes }) => sum + bytes, 0);
    rows.push({
      backup,
      database: manifest?.database.kind ?? 'damaged',
      bytes: total,
      recordings: manifest?.audio.length ?? 0,
      left_out: manifest?.left_out.length ?? 0,
    });
  }
  return rows;
}
