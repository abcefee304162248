import { useEffect, useId, useRef } from 'react';
import { createStore, useStore } from './store.ts';

/** Something that the palette offers while what it is about is on the screen. */
export interface Command {
  label: string;
  run(): void;
}

const offered = createStore<ReadonlyMap<string, readonly Command[]>>(new Map());

/** Offers commands in the palette as long as the component is there. */
export function useCommands(commands: readonly Command[]): void {
  const id = useId();
  const current = useRef(commands);
  current.current = commands;
  const labels = commands.map(({ label }) => label).join('\n');
  useEffect(() => {
    const named = labels === '' ? [] : labels.split('\n');
    const latest = named.map((label, at) => ({ label, run: () => current.current[at]?.run() }));
    offered.set(new Map(offered.get()).set(id, latest));
    return () => {
      const rest = new Map(offered.get());
      rest.delete(id);
      offered.set(rest);
    };
  }, [id, labels]);
}

/** The last to appear first: what is about the open note comes before what is about the list. */
export const useOfferedCommands = (): readonly Command[] => [...useStore(offered).values()].reverse().flat();
