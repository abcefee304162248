import type { Act, Circumstances } from '../../../domain/audit.ts';

export interface AuditStore {
  /** Store functions that `work` calls write who acts with what they do. Outside of it, that is the command line. */
  during<Result>(circumstances: () => Circumstances, work: () => Result): Result;
  /** For an act that writes nothing else. What is done to a space is in the log of its workspace too. */
  record(act: Act): Promise<void>;
}
