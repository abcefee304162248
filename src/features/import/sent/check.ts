import { AppError } from '../../../domain/errors.ts';
import { maxFoldersPerOwner } from '../../../domain/folder.ts';
import type { CheckedExport, CheckedRecording, ImportSource } from '../../../domain/imported.ts';
import { sameTextKey } from '../../../lib/text.ts';
import { maxTagsPerOwner } from '../../tags/schema.ts';
import { tooManyTags } from '../../tags/tagging.ts';

/** Reads everything, also the audio, because what is stored cannot be taken back. */
export async function checkExport(source: ImportSource): Promise<CheckedExport> {
  const folderNames = new Set<string>();
  const tagNames = new Set<string>();
  const addTag = ({ name }: { name: string }) => {
    if (tagNames.add(sameTextKey(name)).size > maxTagsPerOwner) throw tooManyTags();
  };
  const recordings: CheckedRecording[] = [];
  let bytes = 0;
  for await (const folder of source.folders()) {
    folderNames.add(sameTextKey(folder.name));
    if (folderNames.size > maxFoldersPerOwner)
      throw new AppError('limit_reached', `You can have at most ${maxFoldersPerOwner} folders.`);
  }
  for await (const tag of source.tags()) addTag(tag);
  for await (const note of source.notes(async () => false)) {
    note.tags.forEach(addTag);
    bytes += lettersOf(note);
  }
  const others = [source.transcriptions(), source.dictionary(), source.snippets()];
  for (const records of others) for await (const record of records) bytes += lettersOf(record);
  for await (const record of source.recordings()) {
    let length = 0;
    for await (const chunk of record.audio?.() ?? []) length += chunk.length;
    if (record.audio && record.has_audio && length !== record.bytes)
      throw new AppError('validation_error', `The audio of the recording ${record.id} is not all there.`);
    bytes += length;
    const { id, created_at, name, state } = record;
    if (record.audio && record.has_audio)
      recordings.push({ id, created_at, name, state, bytes: record.bytes });
  }
  return { folderNames: [...folderNames], tagNames: [...tagNames], recordings, bytes };
}

/** About the size of a record: its texts. */
export const lettersOf = (record: object) =>
  Object.values(record).reduce<number>(
    (sum, value) => sum + (typeof value === 'string' ? value.length : 8),
    0,
  );
