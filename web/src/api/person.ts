let person: string | undefined;

/** From now on, this page is that person's. */
export function actFor(userId: string): void {
  person = userId;
}

/** Says whose page sends a request. The server refuses it if another tab has signed in as somebody else. */
export const ofPerson = (): Record<string, string> => (person === undefined ? {} : { 'steno-user': person });
