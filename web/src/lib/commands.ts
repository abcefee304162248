import { useEffect, useId, useRef } from 'react';
import { createStore, useStore } from './store.ts';

/** A command that the palette offers while its subject is on the screen. */
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

/** The latest first, so commands for the open note come before those for the list. */
export const useOfferedCommands = (): readonly Command[] => [...useStore(offered).values()].reverse().flat();
