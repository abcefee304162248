import { defaultRangeExtractor, useVirtualizer, type Virtualizer } from '@tanstack/react-virtual';
import {
  type Ref,
  type RefObject,
  useCallback,
  useEffect,
  useImperativeHandle,
  useMemo,
  useRef,
  useState,
} from 'react';
import { flushSync } from 'react-dom';
import type { ListedNote } from '../../resources/note-list.ts';

export interface ListHandle {
  /** Moves the focus by `step` notes, or to the open or first note when none has it. */
  move(step: number): void;
  /** The ids of all notes that are listed. */
  all(): string[];
  /** The id of the note that has the focus. */
  focused(): string | undefined;
}

interface Options {
  notes: readonly ListedNote[];
  openId: string | undefined;
  scroller: RefObject<HTMLElement | null>;
  handle: Ref<ListHandle>;
}

const usualHeight = 84;

/** Which rows of a long list are in the page, where they are, and which one Tab focuses. */
export function useRows({ notes, openId, scroller, handle }: Options) {
  const listRef = useRef<HTMLUListElement>(null);
  const [lastFocused, setLastFocused] = useState<string>();
  const places = useMemo(() => new Map(notes.map(({ id }, index) => [id, index])), [notes]);
  const indexOf = (id: string | undefined) => (id === undefined ? -1 : (places.get(id) ?? -1));
  const stop = Math.max(0, lastFocused === undefined ? indexOf(openId) : indexOf(lastFocused));
  const virtual = useVirtualizer({
    count: notes.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => usualHeight,
    // A new function would make it compute the position of every row again.
    getItemKey: useCallback((index: number) => notes[index]?.id ?? index, [notes]),
    overscan: 8,
    gap: 1,
    // The list may be below a heading or unsaved notes.
    scrollMargin: listRef.current?.offsetTop ?? 0,
    // Tab must find its row, however far the list is scrolled.
    rangeExtractor: (range) => {
      const shown = defaultRangeExtractor(range);
      return shown.includes(stop) ? shown : [...shown, stop].sort((a, b) => a - b);
    },
  });

  function focused(): number {
    const row = document.activeElement?.closest('[data-index]');
    return row && listRef.current?.contains(row) ? Number(row.getAttribute('data-index')) : -1;
  }
  function move(step: number) {
    const from = focused();
    const wanted = from === -1 ? Math.max(0, indexOf(openId)) : from + step;
    const target = Math.min(notes.length - 1, Math.max(0, wanted));
    // The row has to be there before it can get the focus.
    flushSync(() => setLastFocused(notes[target]?.id));
    listRef.current?.querySelector<HTMLElement>(`[data-index="${target}"] :is(a, input)`)?.focus();
  }
  /** Tab comes back to where the focus was. */
  const noteFocus = () => setLastFocused(notes[focused()]?.id);
  useImperativeHandle(handle, () => ({
    move,
    all: () => notes.map(({ id }) => id),
    focused: () => notes[focused()]?.id,
  }));
  useOpenNoteInSight(openId, indexOf(openId), virtual);

  return {
    listRef,
    move,
    noteFocus,
    stop: notes[stop]?.id,
    height: virtual.getTotalSize(),
    measure: virtual.measureElement,
    rows: virtual.getVirtualItems().flatMap(({ index, start }) => {
      const note = notes[index];
      return note ? [{ note, index, top: start - virtual.options.scrollMargin }] : [];
    }),
  };
}

/** After a reload, and when a link opens a note, the list shows it too. */
function useOpenNoteInSight(
  openId: string | undefined,
  index: number,
  virtual: Pick<Virtualizer<HTMLElement, Element>, 'range' | 'scrollToIndex'>,
): void {
  const shown = useRef<string>(undefined);
  const hasRows = virtual.range !== null;
  useEffect(() => {
    const { range } = virtual;
    if (!hasRows || !range || index === -1 || openId === shown.current) return;
    shown.current = openId;
    // The first and the last may be seen in part.
    if (index <= range.startIndex || index >= range.endIndex) virtual.scrollToIndex(index, { align: 'auto' });
  }, [openId, index, hasRows, virtual]);
}
