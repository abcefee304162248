import { lazy, type RefObject, Suspense, useEffect, useRef } from 'react';
import { useHotkeys } from '../lib/hotkeys.ts';
import { createStore, useStore } from '../lib/store.ts';

const palette = () => import('./palette.tsx');
const Palette = lazy(async () => ({ default: (await palette()).Palette }));
/** Loaded ahead of time, so that it opens at once. */
export const preloadPalette = () => palette().catch(() => {});
const KeysHelp = lazy(async () => ({ default: (await import('./keys-help.tsx')).KeysHelp }));

const shown = createStore<'palette' | 'keys' | undefined>(undefined);
export const openPalette = () => shown.set('palette');
const close = () => shown.set(undefined);

/** The palette (Ctrl+K) and the list of keys (`?`), over any screen. */
export function Overlays() {
  const overlay = useStore(shown);
  const early = useRef('');
  useEffect(() => {
    if (overlay === undefined) early.current = '';
  }, [overlay]);
  useHotkeys({ '?': () => shown.set('keys') });
  useEffect(() => {
    function listen(event: KeyboardEvent) {
      const isPalette =
        (event.ctrlKey || event.metaKey) && !event.shiftKey && event.key.toLowerCase() === 'k';
      // In a text, the key may have turned the selection into a link.
      if (!isPalette || event.defaultPrevented || document.querySelector('dialog[open]')) return;
      event.preventDefault();
      openPalette();
    }
    document.addEventListener('keydown', listen);
    return () => document.removeEventListener('keydown', listen);
  }, []);
  return (
    <Suspense fallback={overlay === 'palette' && <TakesLetters into={early} />}>
      {overlay === 'palette' && (
        <Palette typedBefore={early} onClose={close} onKeys={() => shown.set('keys')} />
      )}
      {overlay === 'keys' && <KeysHelp onClose={close} />}
    </Suspense>
  );
}

/** Until the palette is loaded: letters are typed into it and are no shortcuts of the screen. */
function TakesLetters({ into }: { into: RefObject<string> }) {
  useEffect(() => {
    function take(event: KeyboardEvent) {
      if (event.ctrlKey || event.metaKey || event.altKey || event.key.length > 1) return;
      event.preventDefault();
      into.current += event.key;
    }
    document.addEventListener('keydown', take, true);
    return () => document.removeEventListener('keydown', take, true);
  }, [into]);
  return null;
}
