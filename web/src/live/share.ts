import type { StreamListener, Told } from './told.ts';

export interface LiveListener {
  told(changes: readonly Told[]): void;
  /** Changes may have been missed: what is shown must be read again. */
  missed(): void;
  live(isLive: boolean): void;
  /** Perhaps another person is signed in now, or none. */
  doubt(): void;
}

/** What the pages of one browser tell each other. */
export type LiveMessage = { person: string } & News;
type News =
  /** Is another page awake? A page that has just begun also asks for what it missed since then. */
  | { type: 'hello'; since: number | undefined }
  /** The answer for pages that asked with this `since`. */
  | {
      type: 'here';
      isLive: boolean;
      cursor: string | undefined;
      since: number | undefined;
      missed: Told[] | undefined;
    }
  | { type: 'ready'; cursor: string; isWhole: boolean }
  | { type: 'told'; cursor: string; change: Told }
  | { type: 'lost'; isRefused: boolean };

/** What this takes of a browser. */
export interface Pages {
  /** When this page began. */
  since: number;
  follow(cursor: string | undefined, on: StreamListener): () => void;
  tell(message: LiveMessage): void;
  hear(listener: (message: LiveMessage) => void): () => void;
  /**
   * Calls `lead` when no other page leads, or at once if it may steal the lead. Calls `stop` when another page stole it. The
   * result gives it back. Undefined where browsers have no locks.
   */
  lead: ((maySteal: boolean, lead: () => void, stop: () => void) => () => void) | undefined;
  isSeen(): boolean;
  /** Calls back when the page is seen again, or no longer. */
  onSeen(listener: () => void): () => void;
}

/** How long the page that leads remembers what it heard, for pages that have just begun. */
const rememberMs = 60_000;
const maxRemembered = 500;
const lookEveryMs = 10_000;
/** A page that leads and does not answer is asleep. */
const patienceMs = 2_000;

/**
 * Follows the changes of everything that the person reaches, with one stream for all pages of a browser: over HTTP/1.1 it has
 * six connections to a server. One page leads: it has the stream and tells the others. The result ends it.
 */
export function shareChanges(person: string, on: LiveListener, pages: Pages): () => void {
  let cursor: string | undefined;
  let isLive = false;
  let stopFollowing: (() => void) | undefined;
  /** Since when the page that leads has heard everything. */
  let wholeSince: number | undefined;
  const heard: { at: number; change: Told }[] = [];
  /** Until the page that leads has told what this one missed. */
  let since: number | undefined = pages.since;
  let giveBack: (() => void) | undefined;
  let patience: ReturnType<typeof setTimeout> | undefined;

  const tell = (news: News) => pages.tell({ ...news, person });

  function become(next: boolean): void {
    if (next === isLive) return;
    isLive = next;
    on.live(next);
  }
  const own: StreamListener = {
    ready(at, isWhole) {
      if (!isWhole || wholeSince === undefined) wholeSince = Date.now();
      take({ type: 'ready', cursor: at, isWhole });
    },
    change(at, change) {
      heard.push({ at: Date.now(), change });
      if (heard.length > maxRemembered) wholeSince = heard.shift()?.at;
      take({ type: 'told', cursor: at, change });
    },
    lost: (isRefused) => take({ type: 'lost', isRefused }),
  };
  function take(news: News): void {
    tell(news);
    learn(news);
  }

  /** What the stream says, here or in the page that leads. */
  function learn(news: News): void {
    if ('cursor' in news) cursor = news.cursor ?? cursor;
    if (news.type === 'ready') {
      // A page that leads now does not ask for what it missed.
      if (!news.isWhole || (stopFollowing && since !== undefined)) {
        since = undefined;
        on.missed();
      }
      become(true);
    }
    if (news.type === 'told') on.told([news.change]);
    if (news.type === 'lost') {
      become(false);
      if (news.isRefused) on.doubt();
    }
    if (news.type === 'here') {
      clearTimeout(patience);
      if (news.isLive && since !== undefined && news.since === since) {
        since = undefined;
        if (news.missed) on.told(news.missed);
        else on.missed();
      }
      become(news.isLive);
    }
  }

  function answer(from: number | undefined): void {
    const isKnown = from === undefined || (wholeSince !== undefined && from >= wholeSince);
    const isRecent = from === undefined || from > Date.now() - rememberMs;
    const missed = heard.filter(({ at }) => at >= (from ?? Number.POSITIVE_INFINITY));
    tell({
      type: 'here',
      isLive,
      cursor,
      since: from,
      missed: isKnown && isRecent ? missed.map(({ change }) => change) : undefined,
    });
  }

  function lead(): void {
    clearTimeout(patience);
    stopFollowing ??= pages.follow(cursor, own);
  }
  function stopLeading(): void {
    stopFollowing?.();
    stopFollowing = undefined;
    wholeSince = undefined;
  }
  function queueUp(maySteal: boolean): void {
    giveBack?.();
    giveBack = pages.lead?.(maySteal, lead, () => {
      stopLeading();
      queueUp(false);
    });
  }

  /** A page that is asleep may lead: then this one takes its place. */
  function look(): void {
    if (!pages.lead) {
      if (pages.isSeen()) lead();
      else stopLeading();
    }
    if (stopFollowing || !pages.isSeen()) return;
    clearTimeout(patience);
    patience = setTimeout(() => queueUp(true), patienceMs);
    tell({ type: 'hello', since });
  }

  const stopHearing = pages.hear(({ person: whose, ...news }) => {
    if (whose !== person) on.doubt();
    else if (!stopFollowing) learn(news);
    else if (news.type === 'hello') answer(news.since);
  });
  const stopSeeing = pages.onSeen(look);
  const timer = setInterval(look, lookEveryMs);
  queueUp(false);
  look();
  return () => {
    clearInterval(timer);
    clearTimeout(patience);
    stopSeeing();
    stopHearing();
    giveBack?.();
    stopLeading();
  };
}
