import { useEffect } from 'react';
import { commonStrings } from '../strings/common.ts';

/** The title of the browser's tab. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · ${commonStrings.product}`;
  }, [title]);
}
