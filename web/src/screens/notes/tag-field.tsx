import { type KeyboardEvent, type Ref, useId, useState } from 'react';
import { maxTagNameLength } from '../../api/limits.ts';
import { keyOf } from '../../lib/key-of.ts';
import { useTags } from '../../resources/tags.ts';
import { tagStrings as texts } from '../../strings/tags.ts';
import styles from './tags.module.css';

const maxOffered = 6;

interface Props {
  ref: Ref<HTMLInputElement>;
  spaceId: string | undefined;
  /** The tags that the note has. */
  taken: readonly string[];
  onAdd(name: string): void;
  onRemove(name: string): void;
}

const isSame = (one: string, other: string) => one.toLowerCase() === other.toLowerCase();

/** Adds tags by their names, new or known, and removes the last one by Backspace. */
export function TagField({ ref, spaceId, taken, onAdd, onRemove }: Props) {
  const id = useId();
  const [typed, setTyped] = useState('');
  const [isOpen, setOpen] = useState(false);
  const [isUsed, setUsed] = useState(false);
  /** The chosen one of those that are offered; -1: what was typed. */
  const [at, setAt] = useState(-1);
  const known = useTags(spaceId, isUsed).data ?? [];
  const wanted = typed.trim();
  const isTaken = (name: string) => taken.some((one) => isSame(one, name));
  const offered = known
    .filter(({ name }) => !isTaken(name) && name.toLowerCase().includes(wanted.toLowerCase()))
    .slice(0, maxOffered)
    .map(({ name }) => ({ name, label: name }));
  if (wanted !== '' && !isTaken(wanted) && !known.some(({ name }) => isSame(name, wanted)))
    offered.push({ name: wanted, label: texts.make(wanted) });
  const isShown = isOpen && offered.length > 0;
  const active = Math.min(at, offered.length - 1);

  function add(name: string) {
    if (name !== '' && !isTaken(name)) onAdd(known.find((tag) => isSame(tag.name, name))?.name ?? name);
    setTyped('');
    setOpen(false);
    setAt(-1);
  }
  /** The keyboard of a phone tells of no comma, so what is typed is looked at. */
  function type(text: string) {
    const names = text.split(',');
    const rest = names.pop() ?? '';
    for (const name of new Set(names.map((name) => name.trim()))) add(name);
    setTyped(rest.trimStart());
    setOpen(true);
    setAt(-1);
  }
  function press(event: KeyboardEvent<HTMLInputElement>) {
    const key = keyOf(event);
    const step = key === 'ArrowDown' ? 1 : key === 'ArrowUp' ? -1 : 0;
    if (step !== 0) {
      setOpen(true);
      // What was typed is between the last and the first.
      const count = offered.length + 1;
      setAt(((active + 1 + step + count) % count) - 1);
    } else if (key === 'Enter') add((isShown && offered[active]?.name) || wanted);
    else if (key === 'Escape') leave(event.currentTarget);
    else if (key === 'Backspace' && typed === '' && !event.repeat) {
      const last = taken.at(-1);
      if (last !== undefined) onRemove(last);
    } else return;
    event.preventDefault();
    // The note would be left by Esc.
    event.stopPropagation();
  }
  function leave(field: HTMLInputElement) {
    if (isShown) setOpen(false);
    else if (typed !== '') setTyped('');
    else field.blur();
  }
  return (
    <div className={styles.field}>
      <input
        ref={ref}
        type="text"
        role="combobox"
        aria-label={texts.add}
        aria-describedby={`${id}-how`}
        aria-autocomplete="list"
        aria-expanded={isShown}
        aria-controls={isShown ? `${id}-list` : undefined}
        aria-activedescendant={isShown && active >= 0 ? `${id}-${active}` : undefined}
        placeholder={texts.add}
        dir="auto"
        autoComplete="off"
        enterKeyHint="enter"
        maxLength={maxTagNameLength}
        value={typed}
        onFocus={() => setUsed(true)}
        onBlur={() => setOpen(false)}
        onClick={() => setOpen(true)}
        onChange={(event) => type(event.target.value)}
        onKeyDown={press}
      />
      <span id={`${id}-how`} hidden>
        {texts.how}
      </span>
      {isShown && (
        <div
          className={styles.offered}
          role="listbox"
          id={`${id}-list`}
          aria-label={texts.known}
          // The field keeps the focus.
          onPointerDown={(event) => event.preventDefault()}
          onMouseDown={(event) => event.preventDefault()}
        >
          {offered.map(({ name, label }, index) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the field above has the focus and takes the keys
            // biome-ignore lint/a11y/useFocusableInteractive: the field above has the focus and takes the keys
            <div
              key={label}
              id={`${id}-${index}`}
              role="option"
              className="truncate"
              dir="auto"
              aria-selected={index === active}
              onClick={() => add(name)}
              onPointerMove={() => setAt(index)}
            >
              {label}
            </div>
          ))}
        </div>
      )}
    </div>
  );
}
