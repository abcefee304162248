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

export interface Destination {
  write(line: object): void;
}

const batchLines = 64;
const flushEveryMs = 200;

/** JSON lines with the same fields as pino (level, time, msg), by default on standard output. */
export function createLog(level: LogLevel, destination: Destination = standardOutput()): Log {
  const at = (name: 'info' | 'warn' | 'error') => (fields: object, message: string) => {
    if (logLevels[name] >= logLevels[level])
      destination.write({ level: logLevels[name], time: Date.now(), ...fields, msg: message });
  };
  return { info: at('info'), warn: at('warn'), error: at('error') };
}

/**
 * Writes lines in batches, in the background. With pino, which writes them one by one, logging took a fifth of the time of
 * a point read. Waiting lines are written when the process ends.
 */
function standardOutput(): Destination {
  const output = new sonicBoom.SonicBoom({ fd: 1, sync: false });
  // The reader of the log may close the pipe; the server must go on.
  output.on('error', () => {});
  const lines: object[] = [];
  const take = () => lines.splice(0).map((line) => `${JSON.stringify(line)}\n`);
  const flush = () => {
    if (lines.length > 0) output.write(take().join(''));
  };
  setInterval(flush, flushEveryMs).unref();
  process.on('beforeExit', flush);
  // Synchronously, because background work no longer runs.
  process.on('exit', () => {
    try {
      output.flushSync();
      writeSync(1, take().join(''));
    } catch {
      // The reader of the log is gone.
    }
  });
  return {
    write(line) {
      if (lines.push(line) >= batchLines) flush();
    },
  };
}

/** The code that Node and drivers give their errors, such as ENOENT. */
export const codeOf = (cause: unknown) =>
  cause instanceof Error && 'code' in cause ? cause.code : undefined;

/**
 * What may be logged about a fault. PostgreSQL quotes values in its messages and details ("Key (email)=(…) exists"), so only
 * the code and the place of its errors are kept.
 */
export function describeFault(fault: unknown): Record<string, unknown> {
  if (!(fault instanceof Error)) return { name: typeof fault };
  const code = codeOf(fault);
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
