/** A spreadsheet would run a cell that begins like a formula (OWASP, CSV injection). */
const looksLikeFormula = /^[=+\-@\t\r]/;

/** One line of CSV (RFC 4180). Every cell is quoted. */
export const csvLine = (cells: readonly (string | number | null)[]): string =>
  `${cells.map((cell) => quoted(cell === null ? '' : String(cell))).join(',')}\r\n`;

const quoted = (text: string) =>
  `"${(looksLikeFormula.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`;
