/** What the server answered, but for notes that were saved while the answer was on its way: those are as they were saved. */
export function newest<Note extends { id: string; revision: number }>(
  answered: readonly Note[],
  known: readonly Note[] = [],
): readonly Note[] {
  const saved = new Map(known.map((note) => [note.id, note]));
  return answered.map((note) => {
    const mine = saved.get(note.id);
    return mine && mine.revision > note.revision ? mine : note;
  });
}
