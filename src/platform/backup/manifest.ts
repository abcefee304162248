import { hash } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { z } from 'zod';
import { invalid } from '../../domain/errors.ts';
import type { BackupPlace } from './place.ts';

const file = z.object({ bytes: z.int().min(0), sha256: z.string().regex(/^[0-9a-f]{64}$/) });
const recording = z.object({ id: z.string(), bytes: z.int().min(0) });

const content = z.object({
  format: z.literal(1),
  steno: z.string(),
  made_at: z.iso.datetime(),
  database: file.extend({ kind: z.enum(['sqlite', 'postgres']) }),
  audio: z.array(file.extend({ id: z.string() })),
  /** Recordings whose audio is not in this backup. */
  left_out: z.array(recording),
});

/** What is in one backup, each file with its SHA-256. It is written last: a backup without one is not there. */
export type Manifest = z.infer<typeof content>;

const ending = '.manifest';
export const manifestName = (backup: string) => backup + ending;
export const databaseName = (backup: string) => `${backup}.database`;
/** With its size, since a live upload grows from one backup to the next. */
export const audioName = ({ id, bytes }: { id: string; bytes: number }) => `${id}-${bytes}.audio`;

const digestOf = (value: unknown) => hash('sha256', JSON.stringify(value));

/** With a digest of its own, so that a changed or cut one is refused. */
export const writeManifest = (manifest: Manifest) =>
  JSON.stringify({ sha256: digestOf(manifest), content: manifest });

/** The names of the backups, the oldest first. */
export const backupsIn = (files: ReadonlyMap<string, number>) =>
  [...files.keys()]
    .filter((name) => name.endsWith(ending))
    .map((name) => name.slice(0, -ending.length))
    .sort();

export async function readManifest(
  place: BackupPlace,
  backup: string,
  files: ReadonlyMap<string, number>,
): Promise<Manifest> {
  const name = manifestName(backup);
  try {
    const { sha256, content: found } = JSON.parse(await text(place.read(name, files.get(name) ?? 0)));
    if (sha256 === digestOf(found)) return content.parse(found);
  } catch (cause) {
    throw damaged(place, backup, cause);
  }
  throw damaged(place, backup);
}

const damaged = (place: BackupPlace, backup: string, cause?: unknown) =>
  invalid(
    `The manifest of the backup ${backup} in ${place.name} is missing, cut or changed; use another backup ("steno restore ${place.name} --list").`,
    { cause },
  );
