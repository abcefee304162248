import { createLog } from '../../src/lib/log.ts';

/** The server's own log, kept in memory. */
export function capturedLog() {
  const text: string[] = [];
  const log = createLog('trace', { write: (line) => text.push(JSON.stringify(line)) });
  return {
    log,
    text: () => text.join('\n'),
    lines: (): Record<string, unknown>[] => text.map((line) => JSON.parse(line)),
  };
}
