import { connection, live, noteAnswer, noteNoAnswer } from '../lib/connection.ts';
import { checkPerson } from '../resources/session.ts';
import { pagesOf } from './pages.ts';
import { createRefresh, refreshTold } from './refresh.ts';
import { shareChanges } from './share.ts';

/** While the server refuses the stream, or a proxy keeps it back. */
const withoutStreamMs = 30_000;

/** Keeps what is shown current, until the result is called. */
export function startLive(userId: string): () => void {
  const refresh = createRefresh();
  const pages = pagesOf(userId);
  const end = shareChanges(
    userId,
    {
      told: refresh.take,
      missed: () => void refreshTold(),
      live(isLive) {
        live.set(isLive);
        // A page says that it is current: for tests, and for finding out why it is not.
        document.documentElement.toggleAttribute('data-live', isLive);
        if (isLive) noteAnswer();
        else noteNoAnswer();
      },
      doubt: () => void checkPerson(),
    },
    pages,
  );
  const timer = setInterval(() => {
    if (!live.get() && connection.get() === 'up') void refreshTold();
  }, withoutStreamMs);
  return () => {
    clearInterval(timer);
    refresh.stop();
    end();
    pages.close();
    live.set(false);
  };
}
