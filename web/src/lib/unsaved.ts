import { useEffect, useRef } from 'react';

/** Forms with text that is not sent yet. Each tells whether it has some. */
const forms = new Set<() => boolean>();
/** What stays when another screen is opened, and is lost by a reload. */
const beyondScreens = new Set<() => boolean>();
const any = (all: ReadonlySet<() => boolean>) => [...all].some((isLost) => isLost());

export const hasUnsaved = (): boolean => any(forms);

/** While the component is there, links, the buttons of the browser and a reload ask before they throw away what it holds. */
export function useUnsaved(isChanged: () => boolean): void {
  const latest = useRef(isChanged);
  latest.current = isChanged;
  useEffect(() => {
    const form = () => latest.current();
    forms.add(form);
    return () => {
      forms.delete(form);
    };
  }, []);
}

/** A reload asks first. */
export const askBeforeReload = (isLost: () => boolean) => void beyondScreens.add(isLost);

/** The page is loaded again for another person, so nothing of this one may hold it back. */
export function stopAsking(): void {
  forms.clear();
  beyondScreens.clear();
}

window.addEventListener('beforeunload', (event) => {
  if (hasUnsaved() || any(beyondScreens)) event.preventDefault();
});
