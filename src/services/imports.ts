import { type ImportedNote, type ImportSource, idFor } from '../domain/imported.ts';
import { analyseAtOnce } from '../domain/search/note-text.ts';
import { sameTextKey } from '../lib/same-text.ts';
import type { ImportedKind } from '../ports/note-store.ts';
import type { Store } from '../ports/store.ts';

export type ImportCounts = Record<ImportedKind, number> & {
  /** What was here already. */
  known: number;
};

/** For the operator. What is here already stays as it is, so that an import can be repeated after a fault. */
export function createImports({ store }: { store: Store }) {
  return {
    async run(userId: string, source: ImportSource): Promise<ImportCounts> {
      const counts = { folders: 0, notes: 0, transcriptions: 0, dictionary_words: 0, snippets: 0, known: 0 };
      /** The id keeps its value, unless somebody else has it here. */
      const idHere = async (kind: ImportedKind, id: string) =>
        [userId, undefined].includes(await store.imports.ownerOf(kind, id)) ? id : idFor(userId, id);
      const isHere = async (kind: ImportedKind, id: string) =>
        (await store.imports.ownerOf(kind, await idHere(kind, id))) === userId;

      /** Inserts what is not here. `insert` says whether it did. */
      async function take<Item extends { id: string }>(
        kind: ImportedKind,
        items: AsyncIterable<Item>,
        insert: (item: Item) => Promise<boolean>,
      ): Promise<void> {
        for await (const item of items) {
          const isNew =
            !(await isHere(kind, item.id)) && (await insert({ ...item, id: await idHere(kind, item.id) }));
          counts[isNew ? kind : 'known'] += 1;
        }
      }

      const folderIds = new Map<string, string>();
      for await (const folder of source.folders()) {
        const name_key = sameTextKey(folder.name);
        const mine = await store.folders.list(userId);
        const id = await idHere('folders', folder.id);
        const same = mine.find((one) => one.id === id || sameTextKey(one.name) === name_key);
        folderIds.set(folder.id, same?.id ?? id);
        counts[same ? 'known' : 'folders'] += 1;
        const row = { ...folder, id, owner_id: userId, space_id: null, name_key };
        if (!same) await store.folders.insert(row, Number.POSITIVE_INFINITY);
      }

      const notes = source.notes((id) => isHere('notes', id));
      await take('notes', notes, async (note: ImportedNote) => {
        const folder_id = note.folder_id === null ? null : (folderIds.get(note.folder_id) ?? null);
        const row = { ...note, user_id: userId, owner_id: userId, space_id: null, folder_id };
        return (await store.notes.insert(row, analyseAtOnce(note))) === 'ok';
      });
      await take('transcriptions', source.transcriptions(), async (record) => {
        const note_id = record.note_id === null ? null : await idHere('notes', record.note_id);
        const isLinked = note_id !== null && (await isHere('notes', note_id));
        await store.imports.insertTranscription({
          ...record,
          user_id: userId,
          note_id: isLinked ? note_id : null,
        });
        return true;
      });
      await take('dictionary_words', source.dictionary(), async (entry) => {
        const row = { ...entry, word_key: sameTextKey(entry.word) };
        return (await store.dictionary.add(userId, [row]))[0]?.id === entry.id;
      });
      await take('snippets', source.snippets(), async (snippet) => {
        const row = { ...snippet, trigger_key: sameTextKey(snippet.trigger) };
        return (await store.snippets.insert(userId, row)) === 'ok';
      });
      return counts;
    },
  };
}
