const isMac = /Mac|iPhone|iPad/.test(globalThis.navigator?.platform ?? '');
const signs: Readonly<Record<string, string>> = { ArrowUp: '↑ ↓', ArrowDown: '↑ ↓', Escape: 'Esc' };

/** Keys as people read them. */
export const shownKeys = (keys: string): string =>
  signs[keys] ?? (isMac ? keys.replace('Ctrl+', '⌘').replace('Alt+', '⌥') : keys);
