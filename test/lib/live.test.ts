import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type LiveMessage, type Pages, shareChanges } from '../../web/src/live/share.ts';
import {
  isOutOfDate,
  type KnownNote,
  planOf,
  type StreamListener,
  type Told,
} from '../../web/src/live/told.ts';

const told = (id: string, more: Partial<Told> = {}): Told => ({
  type: 'note',
  id,
  action: 'updated',
  space_id: null,
  revision: 2,
  session: null,
  by: null,
  ...more,
});
const known =
  (notes: Record<string, Partial<KnownNote>>) =>
  (id: string): KnownNote | undefined =>
    notes[id] && { revision: 1, folderId: null, tags: '', place: 'kept', ...notes[id] };
const list = (spaceId?: string) => ['notes', 'list', { spaceId, folderId: undefined, sort: 'created' }];

test('a note on the screen is read alone; one that is nowhere makes the lists of its place out of date', () => {
  const changes = [told('open'), told('listed'), told('new', { action: 'created', space_id: 's' })];
  const plan = planOf(changes, known({ open: { place: 'open' }, listed: { place: 'listed' } }));
  expect(plan.read.map(({ id }) => id)).toEqual(['open', 'listed']);
  expect(isOutOfDate(list(), plan)).toBe(false);
  expect(isOutOfDate(list('s'), plan)).toBe(true);
  expect(isOutOfDate(['notes', 'trash', 's'], plan)).toBe(true);
  expect(isOutOfDate(['notes', 'trash', 'own'], plan)).toBe(false);
});

test('what this page wrote itself is not read again', () => {
  const plan = planOf(
    [told('mine', { by: 'me', revision: 7 })],
    known({ mine: { revision: 7, place: 'open' } }),
  );
  expect([plan.read, plan.written, [...plan.outdated], [...plan.lists]]).toEqual([[], [], [], []]);
});

test('many changed notes are read as a list, the open one alone as well', () => {
  const ids = ['open', 'b', 'c', 'd', 'e', 'f', 'g'];
  const shown = Object.fromEntries(
    ids.map((id) => [id, { place: id === 'open' ? 'open' : 'listed' } as const]),
  );
  const plan = planOf(
    ids.map((id) => told(id)),
    known(shown),
  );
  expect(plan.read.map(({ id }) => id)).toEqual(['open']);
  expect(isOutOfDate(list(), plan)).toBe(true);
  expect(isOutOfDate(['notes', 'one', 'g'], plan)).toBe(true);
});

test('a note that is gone by now is gone, and one that was restored is there, whatever the event says', () => {
  const plan = planOf([told('a', { revision: null }), told('b', { action: 'deleted' })], known({}));
  expect(plan.gone).toEqual(['a']);
  expect(isOutOfDate(['notes', 'one', 'a'], plan)).toBe(true);
});

test.each([
  ['folder', ['folders', 's'], ['folders', 'own']],
  ['tag', ['tags', 's'], ['tags', 'own']],
  ['dictionary', ['dictionary'], ['snippets']],
  ['snippet', ['snippets'], ['dictionary']],
  ['transcription', ['transcriptions', 'list'], ['usage']],
] as const)('a change of type %s concerns its lists alone', (type, concerned, other) => {
  const plan = planOf([told('x', { type, space_id: 's' })], known({}));
  expect([isOutOfDate(concerned, plan), isOutOfDate(other, plan)]).toEqual([true, false]);
});

/** A browser with several pages and a server with one list of changes. */
function openBrowser({ hasLocks = true } = {}) {
  const changes: Told[] = [];
  const streams = new Set<{ at: number; on: StreamListener }>();
  const ears = new Set<(message: LiveMessage) => void>();
  const queue: { page: number; lead(): void; stop(): void }[] = [];
  let opened = 0;

  function open(person = 'ada', since = Date.now()) {
    opened += 1;
    const page = opened;
    let isAsleep = false;
    let isSeen = true;
    const seen = new Set<() => void>();
    const log: string[] = [];
    let ear: ((message: LiveMessage) => void) | undefined;
    const pages: Pages = {
      since,
      follow(cursor, on) {
        const stream = { at: cursor === undefined ? changes.length : Number(cursor), on };
        streams.add(stream);
        on.ready(String(stream.at), cursor !== undefined);
        pass();
        return () => streams.delete(stream);
      },
      tell(message) {
        for (const other of ears) if (other !== ear) other(structuredClone(message));
      },
      hear(listener) {
        ear = (message) => !isAsleep && listener(message);
        ears.add(ear);
        return () => ear && ears.delete(ear);
      },
      lead: hasLocks
        ? (maySteal, lead, stop) => {
            const place = { page, lead, stop };
            const isFree = queue.length === 0;
            const [before] = queue;
            if (maySteal && before) queue[0] = place;
            else queue.push(place);
            if (maySteal && before) before.stop();
            if (isFree || maySteal) lead();
            return () => {
              const at = queue.indexOf(place);
              if (at >= 0) queue.splice(at, 1);
              if (at === 0) queue[0]?.lead();
            };
          }
        : undefined,
      isSeen: () => isSeen,
      onSeen(listener) {
        seen.add(listener);
        return () => seen.delete(listener);
      },
    };
    const close = shareChanges(
      person,
      {
        told: (news) => log.push(...news.map(({ id }) => id)),
        missed: () => log.push('missed'),
        live: (isLive) => log.push(isLive ? 'live' : 'not live'),
        doubt: () => log.push('doubt'),
      },
      pages,
    );
    return {
      log,
      close,
      sleep(is = true) {
        isAsleep = is;
      },
      see(is: boolean) {
        isSeen = is;
        for (const listener of seen) listener();
      },
    };
  }
  function pass(): void {
    for (const stream of streams)
      while (stream.at < changes.length) {
        const change = changes[stream.at];
        stream.at += 1;
        if (change) stream.on.change(String(stream.at), change);
      }
  }
  return {
    open,
    streams,
    change(id: string) {
      changes.push(told(id));
      pass();
    },
  };
}

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

test('three pages have one stream, and all of them hear of a change', () => {
  const browser = openBrowser();
  const pages = [browser.open(), browser.open(), browser.open()];
  browser.change('a');
  expect(browser.streams.size).toBe(1);
  for (const { log } of pages) expect(log.at(-1)).toBe('a');
});

test('the page that leads is closed: another goes on where it ended, and misses nothing', () => {
  const browser = openBrowser();
  const [first, second] = [browser.open(), browser.open()];
  browser.change('a');
  first.close();
  browser.change('b');
  expect(second.log).toEqual(['live', 'a', 'b']);
  expect(browser.streams.size).toBe(1);
});

test('a page that begins hears of what changed while it was loading', () => {
  const browser = openBrowser();
  browser.open();
  vi.advanceTimersByTime(1_000);
  browser.change('before');
  const begun = vi.advanceTimersByTime(1_000).getMockedSystemTime()?.getTime();
  browser.change('loading');
  vi.advanceTimersByTime(1_000);
  const page = browser.open('ada', begun);
  browser.change('after');
  expect(page.log).toEqual(['loading', 'live', 'after']);
});

test('a page that began before the one that leads heard everything reads again what it shows', () => {
  const browser = openBrowser();
  const begun = Date.now() - 5_000;
  browser.open();
  expect(browser.open('ada', begun).log).toEqual(['missed', 'live']);
});

test('of two pages that begin, each hears what it missed itself', () => {
  const browser = openBrowser();
  const first = browser.open();
  vi.advanceTimersByTime(1_000);
  const begun = Date.now();
  browser.change('a');
  vi.advanceTimersByTime(1_000);
  first.sleep();
  const early = browser.open('ada', begun);
  first.sleep(false);
  const late = browser.open('ada', Date.now());
  vi.advanceTimersByTime(10_000);
  expect([early.log, late.log]).toEqual([['live', 'a'], ['live']]);
});

test('the first page reads again what it was given before the stream ran', () => {
  expect(openBrowser().open().log).toEqual(['missed', 'live']);
});

test('a page that is asleep and leads is replaced by one that is seen', () => {
  const browser = openBrowser();
  const [asleep, awake] = [browser.open(), browser.open()];
  asleep.sleep();
  browser.change('a');
  vi.advanceTimersByTime(20_000);
  expect(browser.streams.size).toBe(1);
  awake.log.length = 0;
  browser.change('b');
  expect(awake.log).toEqual(['b']);
});

test('a page of somebody else in the same browser raises doubt', () => {
  const browser = openBrowser();
  const page = browser.open('ada');
  browser.open('eve');
  expect(page.log).toContain('doubt');
});

test('a refused stream raises doubt in every page; one that does not answer does not', () => {
  const browser = openBrowser();
  const pages = [browser.open(), browser.open()];
  for (const { on } of browser.streams) on.lost(false);
  for (const { log } of pages) expect(log.at(-1)).toBe('not live');
  for (const { on } of browser.streams) on.lost(true);
  for (const { log } of pages) expect(log.at(-1)).toBe('doubt');
});

test('without locks each page that is seen has a stream, and the others none', () => {
  const browser = openBrowser({ hasLocks: false });
  const [first] = [browser.open(), browser.open()];
  expect(browser.streams.size).toBe(2);
  first.see(false);
  expect(browser.streams.size).toBe(1);
  browser.change('a');
  first.see(true);
  expect(first.log.filter((entry) => entry === 'a')).toEqual(['a']);
});
