import type { z } from 'zod';
import type { KeyUses, liveKey } from '../../../domain/api-key.ts';
import type { PlanName } from '../../../domain/plans.ts';
import type { Policy } from '../../../domain/policy.ts';
import type { IdempotencyStore } from './idempotency-store.ts';
import type { InstallationStore } from './installation-store.ts';
/**
 * Everything that the services store. Each function that writes is one transaction. When its promise resolves, the change is
 * on disk. When it rejects, nothing has changed.
 */
export interface Store {
  readonly keys: KeyStore;
  readonly idempotency: IdempotencyStore;
  readonly installation: InstallationStore;
  close(): Promise<void>;
}

/** A key that is not revoked, with the plan that limits its calls. The caller checks whether it has expired. */
export type LiveKey = z.infer<typeof liveKey> & {
  plan: PlanName;
  /** What the workspaces that manage the user turn off; empty for a workspace key. */
  blocked_by: Policy[];
};

export interface KeyStore {
  findByHash(hash: string): Promise<LiveKey | undefined>;
  /** Changes when a key, plan, policy or account may have changed, in this process or another. */
  epoch(): number;
  /** A time earlier than the stored one changes nothing. */
  touch(used: KeyUses): Promise<void>;
}
