/** A turn of the event loop with more work than this keeps everybody else waiting. */
const mostCpuMsPerTurn = 100;

/**
 * Looks at the event loop every millisecond while `work` is under way, and counts the turns in which this thread computed
 * for too long. By processor time, which does not pass while other programs run.
 */
export async function countTurns(
  work: () => Promise<unknown>,
): Promise<{ turns: number; blocked: number; longestMs: number }> {
  const counted = { turns: 0, blocked: 0, longestMs: 0 };
  let isOver = false;
  let last = cpuMs();
  const turn = () => {
    const now = cpuMs();
    counted.turns += 1;
    counted.longestMs = Math.max(counted.longestMs, now - last);
    if (now - last > mostCpuMsPerTurn) counted.blocked += 1;
    last = now;
    if (!isOver) setTimeout(turn, 1);
  };
  setTimeout(turn, 1);
  await work();
  isOver = true;
  return counted;
}

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
