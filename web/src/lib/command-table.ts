import { commandStrings as texts } from '../strings/commands.ts';
import { paletteStrings } from '../strings/frame.ts';

/** Where the focus must be: in an element with this `data-scope`. Fields of text have keys of their own: `writing`. */
type Scope = keyof typeof texts.scopes;

export interface Command {
  label: string;
  keys: string;
  /** On a Mac, where Alt and a letter write a sign such as ñ or ®. */
  macKeys?: string;
  scope: Scope;
  /** Not in the palette: it moves the focus, or is a key of the text field. */
  isKeyOnly?: true;
}

/**
 * Every command with a key: for the keys themselves, the palette, the list of keys and screen readers. What works everywhere
 * has a modifier key or is no character, so that nothing happens to people who dictate or hit a key by mistake (WCAG 2.1.4).
 * No letter alone opens a field: it would take the letters typed after it.
 */
export const commands = {
  palette: { label: paletteStrings.title, keys: 'Ctrl+K', scope: 'everywhere', isKeyOnly: true },
  record: { label: texts.record, keys: 'Alt+R', macKeys: 'Ctrl+Alt+R', scope: 'everywhere' },
  newNote: { label: texts.newNote, keys: 'Alt+N', macKeys: 'Ctrl+Alt+N', scope: 'everywhere' },
  help: { label: texts.help, keys: 'Ctrl+/', scope: 'everywhere' },
  find: { label: texts.find, keys: 'Ctrl+F', scope: 'everywhere', isKeyOnly: true },
  leave: { label: texts.leave, keys: 'Escape', scope: 'everywhere', isKeyOnly: true },
  down: { label: texts.move, keys: 'ArrowDown', scope: 'list', isKeyOnly: true },
  up: { label: texts.move, keys: 'ArrowUp', scope: 'list', isKeyOnly: true },
  open: { label: texts.open, keys: 'Enter', scope: 'list', isKeyOnly: true },
  search: { label: texts.search, keys: '/', scope: 'list' },
  select: { label: texts.select, keys: 'x', scope: 'list', isKeyOnly: true },
  selectAll: { label: texts.selectAll, keys: 'Ctrl+A', scope: 'list' },
  write: { label: texts.write, keys: 'Ctrl+E', scope: 'notes' },
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

export const isMac = /Mac|iPhone|iPad/.test(globalThis.navigator?.platform ?? '');

export const keysFor = ({ keys, macKeys = keys }: Command, mac = isMac) => (mac ? macKeys : keys);

/** For `aria-keyshortcuts`. */
export const keysOf = (id: CommandId, mac = isMac) => keysFor(commands[id], mac).replace('Ctrl', 'Control');

const signs: Readonly<Record<string, string>> = { ArrowUp: '↑ ↓', ArrowDown: '↑ ↓', Escape: 'Esc' };

/** The keys as people read them. With Option it is the Control key: Safari reloads the page on Command, Option and R. */
export function shownKeys(command: Command, mac = isMac): string {
  const keys = keysFor(command, mac);
  const onMac = () => keys.replace('Ctrl+Alt+', '⌃⌥').replace('Ctrl+', '⌘').replace('Alt+', '⌥');
  return signs[keys] ?? (mac ? onMac() : keys);
}

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

export const typesText =
  'input:not([type=checkbox]):not([type=radio]), textarea, select, [contenteditable=true], [data-types-text]';

/** The command of a key, with the focus in `target`. */
export function commandFor<Known extends { id: CommandId | null }>(
  pressed: Pressed,
  target: { closest(selector: string): unknown } | undefined,
  known: readonly Known[],
  mac = isMac,
): Known | undefined {
  const keys = nameOf(pressed);
  const hasModifier = keys.length > 1 && keys.includes('+');
  const isTyping = target?.closest(typesText);
  // A Mac writes a sign with Option and a letter.
  if (isTyping && mac && keys.startsWith('Alt+')) return undefined;
  return known.find(({ id }) => {
    if (!id || ![commands[id].keys, keysFor(commands[id], mac)].includes(keys)) return false;
    const { scope } = commands[id];
    if (isTyping) return hasModifier && scope === 'everywhere';
    if (scope === 'everywhere' || target?.closest(`[data-scope~=${scope}]`)) return true;
    // Where nothing has the focus, arrows lead into the list.
    return keys.length > 1 && !hasModifier && !target?.closest('[data-scope], a, button, summary');
  });
}
