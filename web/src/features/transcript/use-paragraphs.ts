import { useVirtualizer } from '@tanstack/react-virtual';
import { type RefObject, useEffect, useLayoutEffect, useState } from 'react';
import { flushSync } from 'react-dom';
import type { Paragraph } from './spoken.ts';

/** Up to this many are all in the page, so that the browser's search and printing work. */
const shownWhole = 80;
const overscan = 6;
const lettersPerLine = 62;
const lineHeight = 29;

/** Which paragraphs of a long transcript are in the page; the rest is empty space. Printing needs all of them. */
export function useParagraphs(list: RefObject<HTMLElement | null>, paragraphs: readonly Paragraph[]) {
  const [printing, setPrinting] = useState(false);
  const [top, setTop] = useState(0);
  const all = printing || paragraphs.length <= shownWhole;
  const virtual = useVirtualizer({
    count: paragraphs.length,
    getScrollElement: () => scrollerOf(list.current),
    estimateSize: (index) => estimated(paragraphs[index]),
    overscan: all ? paragraphs.length : overscan,
    scrollMargin: top,
  });
  useLayoutEffect(() => {
    const scroller = scrollerOf(list.current);
    if (!scroller || !list.current) return;
    const offset = list.current.getBoundingClientRect().top - scroller.getBoundingClientRect().top;
    const now = Math.round(offset + scroller.scrollTop);
    if (Math.abs(now - top) > 1) setTop(now);
  });
  useEffect(() => {
    const begin = () => flushSync(() => setPrinting(true));
    const end = () => setPrinting(false);
    window.addEventListener('beforeprint', begin);
    window.addEventListener('afterprint', end);
    return () => {
      window.removeEventListener('beforeprint', begin);
      window.removeEventListener('afterprint', end);
    };
  }, []);
  const items = virtual.getVirtualItems();
  const [first, last] = [items[0], items.at(-1)];
  return {
    /** Every paragraph is in the page. */
    isWhole: all,
    shown: items.map(({ index }) => index),
    measure: virtual.measureElement,
    scrollTo: (index: number) => virtual.scrollToIndex(index, { align: 'center' }),
    space: {
      paddingTop: first ? first.start - top : 0,
      paddingBottom: last ? top + virtual.getTotalSize() - last.end : 0,
    },
  };
}

function estimated(paragraph: Paragraph | undefined): number {
  const letters = (paragraph?.sentences ?? []).reduce((sum, { text }) => sum + text.length + 1, 0);
  return Math.ceil(letters / lettersPerLine) * lineHeight + lineHeight;
}

function scrollerOf(element: HTMLElement | null): HTMLElement | null {
  const parent = element?.parentElement ?? null;
  if (!parent || /auto|scroll/.test(getComputedStyle(parent).overflowY)) return parent;
  return scrollerOf(parent);
}
