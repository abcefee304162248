interface ServerEvent {
  event: string;
  data: string;
}

/** The server-sent events of an answer to a POST, which an EventSource cannot send. The server writes data in one line. */
export async function* readEvents(stream: ReadableStream<Uint8Array> | null): AsyncGenerator<ServerEvent> {
  const reader = stream
    ?.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>)
    .getReader();
  if (!reader) return;
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const blocks = (rest + value).split('\n\n');
      rest = blocks.pop() ?? '';
      for (const block of blocks) {
        const [, event] = /^event: (.*)$/m.exec(block) ?? [];
        const [, data] = /^data: (.*)$/m.exec(block) ?? [];
        // A comment keeps the line open.
        if (event !== undefined && data !== undefined) yield { event, data };
      }
    }
  } finally {
    void reader.cancel();
  }
}
