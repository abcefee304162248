import { pino } from 'pino';

export interface Destination {
  write(line: string): void;
}

export type Log = Pick<ReturnType<typeof pino>, 'info' | 'warn' | 'error' | 'flush'>;

const batchBytes = 16_000;
const flushEveryMs = 200;

/** JSON lines, by default on standard output and written together in the background: a write for each took 4 % of a request. */
export function createLog(level: string, destination: Destination = standardOutput()): Log {
  return pino({ level, base: null }, destination);
}

function standardOutput(): Destination {
  const destination = pino.destination({ sync: false, minLength: batchBytes });
  setInterval(() => destination.flush(), flushEveryMs).unref();
  return destination;
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
