import { useEffect, useRef } from 'react';

type Handler = (event: KeyboardEvent) => void;

const typesText =
  'input:not([type=checkbox]):not([type=radio]), textarea, select, [contenteditable=true], [data-types-text]';

/** Keyboard shortcuts for the whole page. Off while someone types, holds a modifier key or has a dialog or menu open. */
export function useHotkeys(handlers: Readonly<Record<string, Handler>>): void {
  const current = useRef(handlers);
  current.current = handlers;
  useEffect(() => {
    function listen(event: KeyboardEvent) {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
      const target = event.target instanceof Element ? event.target : undefined;
      if (target?.closest(typesText) || document.querySelector('dialog[open], [role=menu]')) return;
      const handler = current.current[event.key];
      if (!handler) return;
      event.preventDefault();
      handler(event);
    }
    document.addEventListener('keydown', listen);
    return () => document.removeEventListener('keydown', listen);
  }, []);
}
