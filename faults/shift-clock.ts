import { readFileSync } from 'node:fs';

/**
 * Loaded before a server (`node --import`), whose wall clock then differs from the machine's by as many milliseconds as the file
 * FAULTS_CLOCK says. Timers run on, as they do when the clock of a machine is set. The server knows nothing of it.
 */
const RealDate = Date;
const realNow = Date.now;
let shift = 0;

function readShift(): void {
  try {
    shift = Number(readFileSync(process.env.FAULTS_CLOCK ?? '', 'utf8')) || 0;
  } catch {
    shift = 0;
  }
}

readShift();
setInterval(readShift, 10).unref();
Date.now = () => realNow() + shift;
globalThis.Date = new Proxy(RealDate, {
  construct: (target, args, self) =>
    Reflect.construct(target, args.length === 0 ? [realNow() + shift] : args, self),
});
