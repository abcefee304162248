import { constants, getPriority } from 'node:os';

/** A priority below the one of this process, which may itself be low. */
export const priorityBelow = (steps: number) =>
  Math.min(getPriority() + steps, constants.priority.PRIORITY_LOW);
