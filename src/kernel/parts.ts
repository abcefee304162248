import type { Config } from '../config.ts';
import type { Plans } from '../domain/plans.ts';

/** What the program is made of besides the database. `compose` makes it once; operations get it in their context. */
export interface Parts {
  readonly config: Config;
  readonly plans: Plans;
}
