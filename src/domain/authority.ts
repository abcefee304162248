import type { Principal } from './principal.ts';

/** On whose word something is done: whoever asks over HTTP, or the operator at the command line, who may do everything. */
export type Authority = Principal | Operator;

interface Operator {
  readonly kind: 'operator';
}
export const operator: Operator = { kind: 'operator' };
