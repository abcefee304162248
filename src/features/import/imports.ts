import { randomUUID } from 'node:crypto';
import { closeSync } from 'node:fs';
import { refusal, transcribeAccess } from '../../domain/access.ts';
import { maxFoldersPerOwner } from '../../domain/folder.ts';
import { type CheckedRecording, type ImportSource, idFor, type SentExport } from '../../domain/imported.ts';
import type { Principal } from '../../domain/principal.ts';
import type { PersonalScope } from '../../domain/scopes.ts';
import type { Context } from '../../kernel/context.ts';
import { sameTextKey } from '../../lib/text.ts';
import type { Db } from '../../platform/database/database.ts';
import * as folders from '../folders/queries.ts';
import * as storage from '../recordings/storage.ts';
import * as tags from '../tags/queries.ts';
import { maxTagsPerOwner } from '../tags/schema.ts';
import { tooManyTags } from '../tags/tagging.ts';
import * as queries from './queries.ts';
import { type Importing, type ImportTerms, importRecords, takesAudio, tooManyFolders } from './records.ts';
import { openSentExport } from './sent/sent-export.ts';

const operatorTerms: ImportTerms = {
  keepsIds: true,
  maxFolders: Number.POSITIVE_INFINITY,
  maxAudioBytes: Number.POSITIVE_INFINITY,
  refusal: null,
};

/** For the operator. */
export const importAs = (context: Importing, userId: string, source: ImportSource) =>
  importAndTell(context, userId, source, operatorTerms);

async function importAndTell(context: Importing, userId: string, source: ImportSource, terms: ImportTerms) {
  await context.act(({ audit }) => audit({ act: 'import.made', subject_id: userId }));
  return importRecords(context, userId, source, terms);
}

/**
 * Imports the parts of the caller's export that the key may write. The whole file is checked before anything is written.
 * `receive` gives the file. Raises `validation_error`, `payload_too_large`, `limit_reached` (folders, tags), `plan_required`
 * (storage), `service_unavailable`, and the client's reason.
 */
export function importSent(
  context: Importing & Pick<Context, 'who' | 'signal'>,
  receive: (signal: AbortSignal) => Promise<number>,
  openSent: (fd: number, signal: AbortSignal) => SentExport = openSentExport,
) {
  const { who, parts } = context;
  const { plans, imports } = parts;
  const terms: ImportTerms = {
    keepsIds: false,
    maxFolders: maxFoldersPerOwner,
    maxAudioBytes: plans[who.plan].recordingMaxBytes,
    refusal: refusal(transcribeAccess, who, plans)?.message ?? null,
  };
  async function take(fd: number, signal: AbortSignal) {
    const sent = openSent(fd, signal);
    try {
      const { allowed, left_out } = asFarAs(who, sent);
      const { folderNames, tagNames, recordings } = await sent.check();
      await checkFolders(context, who.userId, folderNames);
      await checkTags(context, who.userId, tagNames);
      const audio = left_out.includes('recordings') ? [] : recordings;
      const counts = await withRoom(context, audio, terms, (given) =>
        importAndTell(context, who.userId, allowed, given),
      );
      return { ...counts, left_out };
    } finally {
      await sent.close();
    }
  }
  return imports.run(context.signal, async (signal) => {
    const fd = await receive(signal);
    try {
      return await imports.inTurn(() => take(fd, signal), signal);
    } finally {
      closeSync(fd);
    }
  });
}

async function checkFolders(
  { database }: Importing,
  userId: string,
  names: readonly string[],
): Promise<void> {
  const mine = (await folders.list(database.db, userId)).map(({ name }) => sameTextKey(name));
  if (new Set([...mine, ...names]).size > maxFoldersPerOwner) throw tooManyFolders();
}

async function checkTags({ database }: Importing, userId: string, names: readonly string[]): Promise<void> {
  const mine = (await tags.list(database.db, userId)).map(({ name }) => sameTextKey(name));
  if (new Set([...mine, ...names]).size > maxTagsPerOwner) throw tooManyTags();
}

async function isRecordingHere(db: Db, userId: string, { id, created_at, name, bytes }: CheckedRecording) {
  for (const one of [id, idFor(userId, id)])
    if ((await queries.ownerOf(db, 'recordings', one)) === userId) return true;
  return (await queries.twinOf(db, userId, { kind: 'recordings', created_at, name, bytes })) !== undefined;
}

/** Raises `plan_required` before anything is written. What is here already takes no room again. */
async function withRoom<Result>(
  { database, parts, who: { userId, plan } }: Importing & Pick<Context, 'who'>,
  sent: readonly CheckedRecording[],
  terms: ImportTerms,
  work: (terms: ImportTerms) => Promise<Result>,
): Promise<Result> {
  const { keepAudio } = parts.config.recordings;
  let bytes = 0;
  for (const one of sent)
    if (takesAudio(one, terms, keepAudio) && !(await isRecordingHere(database.db, userId, one)))
      bytes += one.bytes;
  if (bytes === 0) return work(terms);
  const { storing } = parts.imports;
  const reservation = randomUUID();
  // Before its row is visible: promises that no import has are freed every minute.
  storing.add(reservation);
  try {
    const wanted = { id: reservation, userId, bytes, limits: parts.plans[plan] };
    await database.write((tx) => storage.reserve({ database, tx }, wanted));
    return await work({ ...terms, reservation });
  } finally {
    // Silent: if the database is away, it is freed a minute later.
    await database.write((tx) => storage.free({ database, tx }, reservation)).catch(() => {});
    storing.delete(reservation);
  }
}

/** The scopes beside those for notes, folders and tags, which the route requires. */
const scopesToTake = {
  transcriptions: 'transcriptions:write',
  recordings: 'transcriptions:write',
  dictionary: 'dictionary:write',
  snippets: 'snippets:write',
} as const satisfies Partial<Record<keyof ImportSource, PersonalScope>>;

/** What the key may not write, or a policy of its workspace forbids, is left out. */
function asFarAs({ scopes, blockedBy }: Principal, source: ImportSource) {
  async function* nothing() {}
  const mayTake = (kind: keyof typeof scopesToTake) =>
    scopes.includes(scopesToTake[kind]) &&
    (scopesToTake[kind] === 'transcriptions:write' || !blockedBy.includes('cloud backup'));
  const allowed: ImportSource = {
    folders: source.folders,
    tags: source.tags,
    notes: source.notes,
    transcriptions: mayTake('transcriptions') ? source.transcriptions : nothing,
    recordings: mayTake('recordings') ? source.recordings : nothing,
    dictionary: mayTake('dictionary') ? source.dictionary : nothing,
    snippets: mayTake('snippets') ? source.snippets : nothing,
  };
  const left_out = (['transcriptions', 'recordings', 'dictionary', 'snippets'] as const).filter(
    (kind) => !mayTake(kind),
  );
  return { allowed, left_out };
}
