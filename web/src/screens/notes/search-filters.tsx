import { keyOf } from '../../lib/key-of.ts';
import { useFolders } from '../../resources/folders.ts';
import { useSpeakers } from '../../resources/note-search.ts';
import { useTags } from '../../resources/tags.ts';
import { noteStrings } from '../../strings/notes.ts';
import { Button } from '../../ui/button.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import styles from './notes.module.css';
import { useNotesPlace } from './place.ts';

const texts = noteStrings.filters;
/** People do not search for a name that Steno made up. */
const madeUp = /^Speaker \d+$/;

/** Narrows a search: what kind of notes, since when, in which folder, with which tag, who speaks. All of it is in the URL. */
export function SearchFilters({ id, onClose }: { id: string; onClose(): void }) {
  const { filters, filter, folderId, tagId, spaceId, query, isFiltered, clearFilters } = useNotesPlace();
  const folders = useFolders(spaceId).data ?? [];
  const tags = useTags(spaceId).data ?? [];
  const { kind, since, until, speaker } = filters;
  const known = useSpeakers(spaceId).data ?? [];
  const names = known.filter((name) => !madeUp.test(name) || name === speaker);
  if (speaker !== '' && !names.includes(speaker)) names.push(speaker);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Esc does what the button does
    <div
      id={id}
      className={styles.filters}
      onKeyDown={(event) => {
        if (keyOf(event) !== 'Escape') return;
        event.stopPropagation();
        onClose();
      }}
    >
      <SelectField
        label={texts.kind}
        value={kind}
        options={texts.kinds}
        onChoose={(to) => filter('kind', to)}
      />
      <SelectField
        label={texts.folder}
        value={folderId ?? ''}
        options={[{ id: '', name: texts.anyFolder }, ...folders]}
        onChoose={(to) => filter('folder', to)}
      />
      <TextField
        type="date"
        label={texts.since}
        max={until}
        value={since}
        onChange={(event) => filter('since', event.target.value)}
      />
      <TextField
        type="date"
        label={texts.until}
        min={since}
        value={until}
        onChange={(event) => filter('until', event.target.value)}
      />
      {tags.length > 0 && (
        <SelectField
          label={texts.tag}
          value={tagId ?? ''}
          options={[{ id: '', name: texts.anyTag }, ...tags]}
          onChoose={(to) => filter('tag', to)}
        />
      )}
      {names.length > 0 && (
        <SelectField
          label={texts.speaker}
          value={speaker}
          options={[{ id: '', name: texts.anyone }, ...names.map((name) => ({ id: name, name }))]}
          onChoose={(to) => filter('speaker', to)}
        />
      )}
      {(isFiltered || tagId) && (
        <Button look="quiet" icon="close" onClick={clearFilters}>
          {texts.clear}
        </Button>
      )}
      {query === '' && <p className="field-hint">{texts.hint}</p>}
    </div>
  );
}
