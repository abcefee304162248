/** Parses CSV (RFC 4180). The first line decides whether commas, semicolons or tabs separate the cells. */
export function parseCsv(text: string): string[][] {
  const source = text.replace(/^\uFEFF/, '').replace(/\r\n?/g, '\n');
  const separator = separatorOf(source.slice(0, source.indexOf('\n') + 1 || source.length));
  const rows: string[][] = [];
  let row: string[] = [];
  let cell = '';
  let quoted = false;
  for (let at = 0; at < source.length; at++) {
    const character = source.charAt(at);
    if (quoted) {
      if (character !== '"') cell += character;
      else if (source[at + 1] === '"') cell += source.charAt(++at);
      else quoted = false;
    } else if (character === '"' && cell.trim() === '') {
      quoted = true;
      cell = '';
    } else if (character === separator) {
      row.push(cell);
      cell = '';
    } else if (character === '\n') {
      rows.push([...row, cell]);
      row = [];
      cell = '';
    } else cell += character;
  }
  rows.push([...row, cell]);
  return rows.filter((cells) => cells.some((content) => content.trim() !== ''));
}

const separatorOf = (firstLine: string) =>
  firstLine.includes('\t') ? '\t' : firstLine.includes(',') || !firstLine.includes(';') ? ',' : ';';

export const toCsv = (rows: readonly (readonly string[])[]) =>
  rows.map((cells) => `${cells.map(quote).join(',')}\r\n`).join('');

const quote = (cell: string) => (/[",;\t\r\n]|^\s|\s$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);
