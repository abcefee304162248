import { createLog, toText } from '../../src/lib/log.ts';

/** The server's own log, kept in memory. */
export function capturedLog() {
  const text: string[] = [];
  const log = createLog('trace', { write: (line) => text.push(toText(line)) });
  return {
    log,
    text: () => text.join(''),
    lines: (): Record<string, unknown>[] => text.map((line) => JSON.parse(line)),
  };
}
