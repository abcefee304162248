import { useEffect } from 'react';
import { strings } from '../strings.ts';

/** The title of the browser's tab. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · ${strings.common.product}`;
  }, [title]);
}
