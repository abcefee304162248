import type { Act, AuditEvent, AuditFilter, Circumstances, RefusedAct } from '../domain/audit.ts';
import type { PageQuery } from '../domain/page.ts';

export interface Refusals {
  readonly act: RefusedAct;
  /** The network of the caller. */
  readonly address: string;
  /** The hour in which they were refused. */
  readonly hour: string;
  readonly times: number;
}

export interface AuditStore {
  /** Store functions that `work` calls write who acts with what they do. Outside of it, that is the command line. */
  during<Result>(circumstances: () => Circumstances, work: () => Result): Result;
  /** For an act that writes nothing else. What is done to a space is in the log of its workspace too. */
  record(act: Act): Promise<void>;
  /** Adds to the counts of the hour. Beyond `maxRows` an hour, addresses are counted together. */
  addRefusals(refusals: readonly Refusals[], maxRows: number): Promise<void>;
  /** The newest first. */
  list(filter: AuditFilter, page: PageQuery): Promise<AuditEvent[]>;
  forget(before: string): Promise<void>;
}
