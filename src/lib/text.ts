/** Text that both databases can keep and every client can read: well-formed Unicode without U+0000. */
export const isStorableText = (text: string) => text.isWellFormed() && !text.includes('\0');

/** The first string anywhere in a parsed JSON value that is not storable; undefined when all of them are. */
export function findUnstorableText(value: unknown): string | undefined {
  if (typeof value === 'string') return isStorableText(value) ? undefined : value;
  if (value === null || typeof value !== 'object') return undefined;
  for (const [name, member] of Object.entries(value)) {
    const found = isStorableText(name) ? findUnstorableText(member) : name;
    if (found !== undefined) return found;
  }
  return undefined;
}
