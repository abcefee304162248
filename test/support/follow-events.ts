import { expect } from 'vitest';

interface Told {
  id: string;
  event: string;
  data: Record<string, unknown>;
}

/** The stream of changes, event by event. */
export async function followEvents(
  url: string,
  key: string,
  headers: Record<string, string> = {},
  query = '',
) {
  const leave = new AbortController();
  const { body } = await fetch(`${url}/api/v1/changes/events${query}`, {
    headers: { authorization: `Bearer ${key}`, ...headers },
    signal: leave.signal,
  });
  const reader = (body ?? expect.fail()).pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  return {
    leave: () => leave.abort(),
    /** Undefined at the end of the stream. */
    async next(): Promise<Told | undefined> {
      for (;;) {
        const [whole, id, event, data] = /id: (.*)\nevent: (.*)\ndata: (.*)\n\n/.exec(text) ?? [];
        if (whole !== undefined) {
          text = text.slice(text.indexOf(whole) + whole.length);
          return { id: id ?? '', event: event ?? '', data: JSON.parse(data ?? '') };
        }
        const { value, done } = await reader.read();
        if (done) return undefined;
        text += value;
      }
    },
  };
}
