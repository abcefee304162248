import type { Principal } from './principal.ts';

/** On whose behalf something is done: a caller of the API, or the operator at the command line, who may do everything. */
export type Authority = Principal | Operator;

interface Operator {
  readonly kind: 'operator';
}
export const operator: Operator = { kind: 'operator' };
