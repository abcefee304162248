import { commandStrings as texts } from '../strings/commands.ts';
import { paletteStrings } from '../strings/frame.ts';

/** Where the focus must be: in an element with this `data-scope`. Fields of text have keys of their own: `writing`. */
type Scope = keyof typeof texts.scopes;

export interface Command {
  label: string;
  keys: string;
  scope: Scope;
  /** Not in the palette: it moves the focus, or is a key of the text field. */
  isKeyOnly?: true;
}

/**
 * Every command with a key: for the keys themselves, the palette, the list of keys and screen readers. What works everywhere
 * has a modifier key or is no character, so that nothing happens to people who dictate or hit a key by mistake (WCAG 2.1.4).
 */
export const commands = {
  palette: { label: paletteStrings.title, keys: 'Ctrl+K', scope: 'everywhere', isKeyOnly: true },
  record: { label: texts.record, keys: 'Alt+R', scope: 'everywhere' },
  newNote: { label: texts.newNote, keys: 'Alt+N', scope: 'everywhere' },
  help: { label: texts.help, keys: 'Ctrl+/', scope: 'everywhere' },
  leave: { label: texts.leave, keys: 'Escape', scope: 'everywhere', isKeyOnly: true },
  down: { label: texts.move, keys: 'ArrowDown', scope: 'list', isKeyOnly: true },
  up: { label: texts.move, keys: 'ArrowUp', scope: 'list', isKeyOnly: true },
  open: { label: texts.open, keys: 'Enter', scope: 'list', isKeyOnly: true },
  add: { label: texts.add, keys: 'n', scope: 'list', isKeyOnly: true },
  search: { label: texts.search, keys: '/', scope: 'list' },
  select: { label: texts.select, keys: 'x', scope: 'list', isKeyOnly: true },
  selectAll: { label: texts.selectAll, keys: 'Ctrl+A', scope: 'list' },
  write: { label: texts.write, keys: 'e', scope: 'notes' },
  play: { label: texts.play, keys: 'k', scope: 'notes' },
  back: { label: texts.back, keys: 'j', scope: 'notes' },
  forward: { label: texts.forward, keys: 'l', scope: 'notes' },
  correct: { label: texts.correct, keys: 'F2', scope: 'notes', isKeyOnly: true },
  indent: { label: texts.indent, keys: 'Tab', scope: 'writing', isKeyOnly: true },
  bold: { label: texts.bold, keys: 'Ctrl+B', scope: 'writing', isKeyOnly: true },
  italic: { label: texts.italic, keys: 'Ctrl+I', scope: 'writing', isKeyOnly: true },
  link: { label: texts.link, keys: 'Ctrl+K', scope: 'writing', isKeyOnly: true },
} as const satisfies Record<string, Command>;

export type CommandId = keyof typeof commands;

/** For `aria-keyshortcuts`. */
export const keysOf = (id: CommandId) => commands[id].keys.replace('Ctrl', 'Control');

/** What a `KeyboardEvent` says of the key. */
export interface Pressed {
  key: string;
  code: string;
  ctrlKey: boolean;
  metaKey: boolean;
  altKey: boolean;
  shiftKey: boolean;
}

/** The key as the table names it, such as `Alt+R` or `n`. */
export function nameOf({ key, code, ctrlKey, metaKey, altKey, shiftKey }: Pressed): string {
  const hasModifier = ctrlKey || metaKey || altKey;
  if (!hasModifier) return key;
  // With Alt, a Mac types another letter: then the place of the key counts.
  const isLetter = /^[a-z]$/i.test(key) || (altKey && /^Key[A-Z]$/.test(code));
  const letter = /^[a-z]$/i.test(key) ? key.toUpperCase() : code.slice('Key'.length);
  return [
    ...(ctrlKey || metaKey ? ['Ctrl'] : []),
    ...(altKey ? ['Alt'] : []),
    // On some keyboards, `/` is Shift and another key.
    ...(shiftKey && isLetter ? ['Shift'] : []),
    isLetter ? letter : key,
  ].join('+');
}
