/** Small, because the notes screen asks before it loads the steps. */
const keyOf = (userId: string) => `first-steps-over ${userId}`;

/** Until the server has said that they are over. A browser that blocks storage asks each time. */
export function wantsFirstSteps(userId: string): boolean {
  try {
    return localStorage.getItem(keyOf(userId)) === null;
  } catch {
    return true;
  }
}

export function rememberFirstStepsOver(userId: string): void {
  try {
    localStorage.setItem(keyOf(userId), '1');
  } catch {
    // It is asked for again, which costs one request.
  }
}
