import { constants, getPriority } from 'node:os';

/** A priority below that of this process, which may itself be a low one. */
export const priorityBelow = (steps: number) =>
  Math.min(getPriority() + steps, constants.priority.PRIORITY_LOW);
