/** A clock that stands still until a test moves it. */
export function stoppedClock(at: number) {
  let now = at;
  const clock = () => now;
  clock.advance = (ms: number) => {
    now += ms;
  };
  clock.set = (to: number) => {
    now = to;
  };
  return clock;
}
