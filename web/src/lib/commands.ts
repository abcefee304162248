import { useEffect, useId, useRef } from 'react';
import { type CommandId, commandFor, commands } from './command-table.ts';
import { keyOf } from './key-of.ts';
import { createStore, useStore } from './store.ts';

/** A command that can be carried out now. One of the table has its id, and another label if it needs one. */
type Offer = { id: CommandId; label?: string; run(): void } | { id?: undefined; label: string; run(): void };
interface Offered {
  id: CommandId | null;
  label: string;
  run(): void;
}

const offered = createStore<ReadonlyMap<string, readonly Offered[]>>(new Map());

/** The latest first, so commands for the open note come before those for the list. Of two with the same id, the latest. */
function current(all = offered.get()): Offered[] {
  const latest = [...all.values()].reverse().flat();
  return latest.filter(({ id }, at) => !id || latest.findIndex((other) => other.id === id) === at);
}

/** Offers commands, by their keys and in the palette, as long as the component is there. */
export function useCommands(offers: readonly Offer[]): void {
  const key = useId();
  const latest = useRef(offers);
  latest.current = offers;
  const named = JSON.stringify(offers.map(({ id, label }) => [label ?? (id && commands[id].label), id]));
  useEffect(() => {
    const names: [string, CommandId | null][] = JSON.parse(named);
    const mine = names.map(([label, id], at) => ({ id, label, run: () => latest.current[at]?.run() }));
    offered.set(new Map(offered.get()).set(key, mine));
    return () => {
      const rest = new Map(offered.get());
      rest.delete(key);
      offered.set(rest);
    };
  }, [key, named]);
}

export const useOfferedCommands = (): readonly Offered[] => current(useStore(offered));

/** Carries out the commands of all keys, until the returned function is called. Off while a dialog or menu is open. */
export function listenToKeys(): () => void {
  function listen(event: KeyboardEvent) {
    // In a text, Ctrl+K may have turned the selection into a link.
    if (keyOf(event) === '' || event.defaultPrevented || document.querySelector('dialog[open], [role=menu]'))
      return;
    const target = event.target instanceof Element ? event.target : undefined;
    const command = commandFor(event, target, current());
    if (!command) return;
    event.preventDefault();
    command.run();
  }
  document.addEventListener('keydown', listen);
  return () => document.removeEventListener('keydown', listen);
}
