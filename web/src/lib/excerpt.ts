const excerptLength = 140;

/** Removes inline Markdown marks, and the lines of a table. A sign with a backslash before it is no mark. */
export const withoutMarks = (text: string): string =>
  text
    .replace(/(^|\s)#{1,6}\s+/g, '$1')
    .replace(/(-{3,}[ :]*)?(\|[ :]*-{3,}[ :]*)+\|?/g, ' ')
    .replace(/(\s*(?<!\\)\|)+\s*/g, ' · ')
    .replace(/\\([!-/:-@[-`{-~])|[*_`~]{1,3}/g, '$1');

/** A line or two of plain text from the note. */
export const excerptOf = (content: string): string =>
  withoutMarks(
    content
      .slice(0, 1_000)
      .replace(/!?(?<!\\)\[((?:\\.|[^[\]\\])*)\]\([^)]*\)/g, '$1')
      .replace(/^\s*>\s+/gm, '')
      .replace(/(^|\n)\s*([-*+]|\d+\.)\s+(\[[ xX]\]\s+)?/g, (_, before) => (before ? ' · ' : '')),
  )
    .replace(/\s+/g, ' ')
    .replace(/( ·)+ ?$|^( ?· )+/g, '')
    .trim()
    .slice(0, excerptLength);
