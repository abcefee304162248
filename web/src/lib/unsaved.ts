import { useEffect, useRef } from 'react';

/** What somebody typed and has not sent yet. Each tells whether that is so. */
const forms = new Set<() => boolean>();
export const hasUnsaved = (): boolean => [...forms].some((isChanged) => isChanged());

/** While the component is there, links, the buttons of the browser and a reload ask before they throw away what it holds. */
export function useUnsaved(isChanged: () => boolean): void {
  const latest = useRef(isChanged);
  latest.current = isChanged;
  useEffect(() => {
    const form = () => latest.current();
    if (forms.size === 0) window.addEventListener('beforeunload', askFirst);
    forms.add(form);
    return () => {
      forms.delete(form);
      if (forms.size === 0) window.removeEventListener('beforeunload', askFirst);
    };
  }, []);
}

const askFirst = (event: Event) => hasUnsaved() && event.preventDefault();
