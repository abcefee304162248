import { AppError } from './errors.ts';
import type { Plan } from './plans.ts';

/** What a plan has for a person's audio. */
export type StorageLimits = Pick<Plan, 'storageBytes' | 'openUploads'>;

/** What a person holds of it. */
export interface StorageUse {
  /** Of audio that is kept, has arrived or was announced. */
  bytes: number;
  openUploads: number;
}

/** Raises `plan_required` if the person does not have room for so many more bytes. */
export function mustFit(limits: StorageLimits, { bytes }: Pick<StorageUse, 'bytes'>, more: number): void {
  const { storageBytes } = limits;
  // A full store also refuses an upload that does not say how long it is.
  if (storageBytes === null || (bytes + more <= storageBytes && (more > 0 || bytes < storageBytes))) return;
  throw new AppError(
    'plan_required',
    `Your plan keeps at most ${megabytes(storageBytes)} of audio, and ${megabytes(bytes)} are in use; delete recordings first, or ask for a larger plan.`,
  );
}

/** Raises `plan_required` for one upload too many. */
export function mustOpen({ openUploads: most }: StorageLimits, { openUploads }: StorageUse): void {
  if (openUploads < most) return;
  throw new AppError(
    'plan_required',
    `Your plan allows ${most} open uploads at once; finish or delete one first, or ask for a larger plan.`,
  );
}

const megabytes = (bytes: number) => `${Math.ceil(bytes / 1_000_000).toLocaleString('en')} MB`;
