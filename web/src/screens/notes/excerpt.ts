const excerptLength = 140;

/** A line or two of plain text from the note. */
export const excerptOf = (content: string): string =>
  content
    .slice(0, 1_000)
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/^\s*(#{1,6}|[-*+>]|\d+\.)\s+/gm, '')
    .replace(/[*_`~]{1,3}/g, '')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, excerptLength);
