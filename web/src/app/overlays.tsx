import { lazy, type RefObject, Suspense, useEffect, useRef } from 'react';
import { listenToKeys, useCommands } from '../lib/commands.ts';
import { keyOf } from '../lib/key-of.ts';
import { leaving, navigate } from '../lib/router.tsx';
import { createStore, useStore } from '../lib/store.ts';
import { askToRecord } from '../recorder/state.ts';
import { later } from '../ui/later.tsx';

const palette = () => import('./palette.tsx');
const Palette = lazy(async () => ({ default: (await palette()).Palette }));
/** Loaded ahead of time, so that it opens at once. */
export const preloadPalette = () => Promise.all([palette(), dialog()]).catch(() => {});
const dialog = () => import('../ui/dialog.tsx');
const DiscardDialog = later(async () => (await dialog()).DiscardDialog);
const KeysHelp = later(async () => (await import('./keys-help.tsx')).KeysHelp);

const shown = createStore<'palette' | 'keys' | undefined>(undefined);
export const openPalette = () => shown.set('palette');
const close = () => shown.set(undefined);

/** The palette and the list of keys, over any screen, and the commands that every screen has. */
export function Overlays() {
  const overlay = useStore(shown);
  const early = useRef('');
  useEffect(() => {
    if (overlay === undefined) early.current = '';
  }, [overlay]);
  useCommands([
    { id: 'palette', run: openPalette },
    { id: 'record', run: askToRecord },
    { id: 'newNote', run: () => navigate('/notes/new') },
    { id: 'help', run: () => shown.set('keys') },
  ]);
  useEffect(listenToKeys, []);
  return (
    <>
      <Suspense fallback={<TakesLetters into={early} />}>
        {overlay === 'palette' && <Palette typedBefore={early} onClose={close} />}
      </Suspense>
      {overlay === 'keys' && <KeysHelp onClose={close} />}
      <BeforeLeaving />
    </>
  );
}

/** A link or a button of the browser would throw away what the person typed. */
function BeforeLeaving() {
  const go = useStore(leaving);
  if (!go) return null;
  return (
    <DiscardDialog
      onClose={() => leaving.set(undefined)}
      onConfirm={() => {
        leaving.set(undefined);
        go();
      }}
    />
  );
}

/** Until the palette is loaded: letters are typed into it and are no shortcuts of the screen. */
function TakesLetters({ into }: { into: RefObject<string> }) {
  useEffect(() => {
    function take(event: KeyboardEvent) {
      const key = keyOf(event);
      if (event.ctrlKey || event.metaKey || event.altKey || key.length > 1) return;
      event.preventDefault();
      into.current += key;
    }
    document.addEventListener('keydown', take, true);
    return () => document.removeEventListener('keydown', take, true);
  }, [into]);
  return null;
}
