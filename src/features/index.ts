import type { Feature } from '../kernel/http.ts';
import * as dictionary from './dictionary/operations.ts';
import * as snippets from './snippets/operations.ts';

/** The table of contents: every feature that is written as operations, in the order of the API's description. */
export const features: readonly Feature[] = [
  { tag: 'Dictionary', operations: dictionary },
  { tag: 'Snippets', operations: snippets },
];
