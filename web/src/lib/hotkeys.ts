import { useEffect, useRef } from 'react';

type Handler = (event: KeyboardEvent) => void;

export const typesText =
  'input:not([type=checkbox]):not([type=radio]), textarea, select, [contenteditable=true], [data-types-text]';

/**
 * Keyboard shortcuts for the whole page. Off while someone types, holds a modifier key or has a dialog or menu open. What must
 * never happen by mistake has a modifier key: `Alt+r`, which also works while someone types.
 */
export function useHotkeys(handlers: Readonly<Record<string, Handler>>): void {
  const current = useRef(handlers);
  current.current = handlers;
  useEffect(() => {
    function listen(event: KeyboardEvent) {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey) return;
      const target = event.target instanceof Element ? event.target : undefined;
      const isTyping = !event.altKey && target?.closest(typesText);
      if (isTyping || document.querySelector('dialog[open], [role=menu]')) return;
      // With Alt, a Mac types another letter: the key counts.
      const key = event.altKey ? `Alt+${event.code.replace('Key', '').toLowerCase()}` : event.key;
      const handler = current.current[key];
      if (!handler) return;
      event.preventDefault();
      handler(event);
    }
    document.addEventListener('keydown', listen);
    return () => document.removeEventListener('keydown', listen);
  }, []);
}
