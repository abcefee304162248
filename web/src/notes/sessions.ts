import { randomId } from '../lib/random-id.ts';

/** Names the openings of notes in this page. The server says with each text in which one it was written. */
const own = new Set<string>();

export function newSession(): string {
  const session = randomId();
  own.add(session);
  return session;
}

export const isOwnSession = (session: string | null) => session !== null && own.has(session);
