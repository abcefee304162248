import { writeSync } from 'node:fs';
import sonicBoom from 'sonic-boom';

export const logLevels = {
  trace: 10,
  debug: 20,
  info: 30,
  warn: 40,
  error: 50,
  silent: Number.POSITIVE_INFINITY,
};
export type LogLevel = keyof typeof logLevels;

export interface Log {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** Takes what will be a line of JSON. */
export interface Destination {
  write(line: object): void;
}

const batchLines = 64;
const flushEveryMs = 200;

/** JSON lines with the fields of pino (level, time, msg), by default on standard output. */
export function createLog(level: LogLevel, destination: Destination = standardOutput()): Log {
  const at = (name: 'info' | 'warn' | 'error') => (fields: object, message: string) => {
    if (logLevels[name] >= logLevels[level])
      destination.write({ level: logLevels[name], time: Date.now(), ...fields, msg: message });
  };
  return { info: at('info'), warn: at('warn'), error: at('error') };
}

/**
 * Lines become text many at a time, written in the background: made one by one by pino, the line of each request took a
 * fifth of a point read. What waits is written when the process ends.
 */
function standardOutput(): Destination {
  const output = new sonicBoom.SonicBoom({ fd: 1, sync: false });
  const lines: object[] = [];
  const take = () => lines.splice(0).map((line) => `${JSON.stringify(line)}\n`);
  const flush = () => {
    if (lines.length > 0) output.write(take().join(''));
  };
  setInterval(flush, flushEveryMs).unref();
  process.on('beforeExit', flush);
  // Nothing that is begun in the background now would still be done.
  process.on('exit', () => {
    output.flushSync();
    writeSync(1, take().join(''));
  });
  return {
    write(line) {
      if (lines.push(line) >= batchLines) flush();
    },
  };
}

/**
 * What may be logged of a fault. PostgreSQL quotes values in its messages and details ("Key (email)=(…) exists"),
 * so of its errors only the code and the place are kept.
 */
export function describeFault(fault: unknown): Record<string, unknown> {
  if (!(fault instanceof Error)) return { name: typeof fault };
  const code = 'code' in fault ? fault.code : undefined;
  const fromPostgres = 'severity' in fault && 'routine' in fault;
  const frames = (fault.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line));
  return {
    name: fault.name,
    ...(code === undefined ? {} : { code }),
    ...(fromPostgres ? { routine: fault.routine } : { message: fault.message }),
    stack: frames.join('\n'),
    ...(fault.cause === undefined ? {} : { cause: describeFault(fault.cause) }),
  };
}
