import { type RefObject, useLayoutEffect } from 'react';

/** For browsers without `field-sizing: content`: makes a field as high as its text, so that the page scrolls, not the field. */
export function useGrowing(field: RefObject<HTMLTextAreaElement | null>, text: string): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the text is what makes it grow
  useLayoutEffect(() => {
    if (!field.current || CSS.supports('field-sizing', 'content')) return;
    field.current.style.height = 'auto';
    field.current.style.height = `${field.current.scrollHeight}px`;
  }, [field, text]);
}
