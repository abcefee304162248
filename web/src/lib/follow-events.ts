const comeAgainMs = 3_000;

/** Hears server-sent events, each with the listener of its name, until the result is called. Comes again by itself. */
export function followEvents(
  address: string,
  on: Readonly<Record<string, (event: MessageEvent<string>) => void>>,
): () => void {
  let source: EventSource | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function open() {
    source = new EventSource(address);
    for (const [name, hear] of Object.entries(on)) source.addEventListener(name, hear);
    source.onerror = () => {
      // After a refusal, an EventSource does not reconnect by itself.
      if (source?.readyState === EventSource.CLOSED) timer = setTimeout(open, comeAgainMs);
    };
  }
  open();
  return () => {
    clearTimeout(timer);
    source?.close();
  };
}
