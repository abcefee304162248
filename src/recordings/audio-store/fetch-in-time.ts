/** What a slow line carries in a millisecond. */
const leastBytesPerMs = 200;

/**
 * A fetch that gives up when it has waited too long in all: some time for the answer, and more for what is sent and received.
 * The time in which nobody reads does not count, because whoever plays a recording pauses.
 */
export function createFetchInTime(closing: AbortSignal, patienceMs: number): typeof fetch {
  return async (input, init) => {
    const stop = new AbortController();
    let leftMs = patienceMs + sizeOf(init?.body) / leastBytesPerMs;

    async function inTime<Result>(work: Promise<Result>): Promise<Result> {
      const since = performance.now();
      const timer = setTimeout(() => stop.abort(new Error('it took too long to answer')), leftMs);
      try {
        return await work;
      } finally {
        clearTimeout(timer);
        leftMs = Math.max(0, leftMs - (performance.now() - since));
      }
    }

    const answer = await inTime(fetch(input, { ...init, signal: AbortSignal.any([stop.signal, closing]) }));
    const reader = answer.body?.getReader();
    if (reader === undefined) return answer;
    const body = new ReadableStream<Uint8Array>(
      {
        async pull(controller) {
          const { done, value } = await inTime(reader.read());
          leftMs += (value?.length ?? 0) / leastBytesPerMs;
          if (done) controller.close();
          else controller.enqueue(value);
        },
        cancel: (reason) => reader.cancel(reason),
      },
      { highWaterMark: 0 },
    );
    const { status, statusText, headers } = answer;
    return new Response(body, { status, statusText, headers });
  };
}

const sizeOf = (body: unknown) =>
  ArrayBuffer.isView(body) || body instanceof ArrayBuffer ? body.byteLength : 0;
