import type { KeyboardEvent } from 'react';
import { keyOf } from '../../lib/key-of.ts';
import { noteStrings } from '../../strings/notes.ts';
import styles from './note.module.css';

export type NoteTab = 'notes' | 'transcript';

const tabs = [
  { value: 'notes', label: noteStrings.title },
  { value: 'transcript', label: noteStrings.transcript },
] as const;
const steps: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowRight: 1 };
const ends: Readonly<Record<string, NoteTab>> = { Home: 'notes', End: 'transcript' };

/** What an element needs to be the panel of a tab. */
export const panelOf = (tab: NoteTab) => ({
  role: 'tabpanel',
  id: `note-panel-${tab}`,
  'aria-labelledby': `note-tab-${tab}`,
});

/** A voice note is two texts: what people write, and what was said. */
export function NoteTabs({ value, onChange }: { value: NoteTab; onChange(tab: NoteTab): void }) {
  function press(event: KeyboardEvent<HTMLElement>) {
    const key = keyOf(event);
    const step = steps[key];
    const at = tabs.findIndex((tab) => tab.value === value);
    const next = ends[key] ?? (step && tabs[(at + step + tabs.length) % tabs.length]?.value);
    if (!next) return;
    event.preventDefault();
    event.stopPropagation();
    onChange(next);
    document.getElementById(`note-tab-${next}`)?.focus();
  }
  return (
    <div role="tablist" aria-label={noteStrings.parts} className={`tabs ${styles.tabs}`} onKeyDown={press}>
      {tabs.map((tab) => {
        const isChosen = tab.value === value;
        return (
          <button
            key={tab.value}
            type="button"
            role="tab"
            id={`note-tab-${tab.value}`}
            className="tab"
            data-state={isChosen ? 'active' : undefined}
            aria-selected={isChosen}
            aria-controls={isChosen ? `note-panel-${tab.value}` : undefined}
            tabIndex={isChosen ? 0 : -1}
            onClick={() => onChange(tab.value)}
          >
            {tab.label}
          </button>
        );
      })}
    </div>
  );
}
