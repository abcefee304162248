import { lazy, Suspense, useEffect } from 'react';
import { useHotkeys } from '../lib/hotkeys.ts';
import { createStore, useStore } from '../lib/store.ts';

const Palette = lazy(async () => ({ default: (await import('./palette.tsx')).Palette }));
const KeysHelp = lazy(async () => ({ default: (await import('./keys-help.tsx')).KeysHelp }));

const shown = createStore<'palette' | 'keys' | undefined>(undefined);
export const openPalette = () => shown.set('palette');
const close = () => shown.set(undefined);

/** The palette (Ctrl+K) and the list of keys (`?`), over any screen. */
export function Overlays() {
  const overlay = useStore(shown);
  useHotkeys({ '?': () => shown.set('keys') });
  useEffect(() => {
    function listen(event: KeyboardEvent) {
      const isPalette =
        (event.ctrlKey || event.metaKey) && !event.shiftKey && event.key.toLowerCase() === 'k';
      // In a text, the key may have made a link of the selection.
      if (!isPalette || event.defaultPrevented || document.querySelector('dialog[open]')) return;
      event.preventDefault();
      openPalette();
    }
    document.addEventListener('keydown', listen);
    return () => document.removeEventListener('keydown', listen);
  }, []);
  return (
    <Suspense>
      {overlay === 'palette' && <Palette onClose={close} onKeys={() => shown.set('keys')} />}
      {overlay === 'keys' && <KeysHelp onClose={close} />}
    </Suspense>
  );
}
