import { useRef, useState } from 'react';
import { classNames } from '../../lib/class-names.ts';
import { useCommands } from '../../lib/commands.ts';
import { placeHref } from '../../lib/note-links.ts';
import { Link } from '../../lib/router.tsx';
import type { OpenNote } from '../../resources/notes.ts';
import { tagNote } from '../../resources/tags.ts';
import { tagStrings as texts } from '../../strings/tags.ts';
import { Icon } from '../../ui/icon.tsx';
import { toastError } from '../../ui/toast.tsx';
import noteStyles from './note.module.css';
import { useNotesPlace } from './place.ts';
import { TagField } from './tag-field.tsx';
import styles from './tags.module.css';

interface Props {
  note: OpenNote;
  isReadOnly: boolean;
}

/** The tags of the open note. Each leads to the notes that have it. */
export function NoteTags({ note, isReadOnly }: Props) {
  const { spaceId, folderId } = useNotesPlace();
  const { shown, add, remove, said } = useTagging(note);
  const field = useRef<HTMLInputElement>(null);
  const names = shown.map(({ name }) => name);
  useCommands(isReadOnly ? [] : [{ label: texts.tagNote, run: () => field.current?.focus() }]);
  if (isReadOnly && names.length === 0) return null;
  return (
    <div className={classNames(noteStyles.tags, styles.tags)}>
      <ul aria-label={texts.title}>
        {shown.map(({ id, name }) => (
          <li key={name} className={styles.chip}>
            {id ? (
              <Link to={placeHref({ spaceId, folderId, tagId: id })} className="truncate" dir="auto">
                {name}
              </Link>
            ) : (
              <span className="truncate" dir="auto">
                {name}
              </span>
            )}
            {!isReadOnly && (
              <button
                type="button"
                aria-label={texts.remove(name)}
                title={texts.remove(name)}
                onClick={(event) => {
                  remove(name);
                  // The button goes. After a tap, the keyboard of a phone would cover the note.
                  if (event.detail === 0) field.current?.focus();
                }}
              >
                <Icon name="close" size={14} />
              </button>
            )}
          </li>
        ))}
      </ul>
      {!isReadOnly && <TagField ref={field} spaceId={spaceId} taken={names} onAdd={add} onRemove={remove} />}
      <span className="visually-hidden" role="status">
        {said}
      </span>
    </div>
  );
}

interface ShownTag {
  /** Not known until the server has the tag. */
  id?: string;
  name: string;
}

/** Shows a change at once, and keeps to it until the server has answered. */
function useTagging({ id, tags = [] }: OpenNote) {
  const [asked, setAsked] = useState<ReadonlyMap<string, 'add_tags' | 'remove_tags'>>(new Map());
  const [said, say] = useState('');
  const kept: ShownTag[] = tags.filter(({ name }) => asked.get(name) !== 'remove_tags');
  const coming = [...asked].flatMap(([name, how]): ShownTag[] =>
    how === 'add_tags' && !tags.some((tag) => tag.name === name) ? [{ name }] : [],
  );
  async function change(name: string, how: 'add_tags' | 'remove_tags'): Promise<void> {
    setAsked((before) => new Map(before).set(name, how));
    await tagNote(id, how, name).then(
      () => say(how === 'add_tags' ? texts.added(name) : texts.removed(name)),
      toastError,
    );
    setAsked((before) => new Map([...before].filter(([one, asks]) => one !== name || asks !== how)));
  }
  return {
    shown: [...kept, ...coming],
    add: (name: string) => void change(name, 'add_tags'),
    remove: (name: string) => void change(name, 'remove_tags'),
    said,
  };
}
