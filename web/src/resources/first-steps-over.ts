import { remember, remembered } from '../lib/remembered.ts';

/** Small, because the notes screen asks before it loads the steps. */
const keyOf = (userId: string) => `first-steps-over ${userId}`;

/** Until the server has said that they are over. */
export const wantsFirstSteps = (userId: string) => remembered(keyOf(userId)) === null;

export const rememberFirstStepsOver = (userId: string) => remember(keyOf(userId), '1');
