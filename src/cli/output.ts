import { lazily } from '../lib/lazily.ts';

/** A field of the record, or a column with its own title and content. */
export type Column<Row> = (keyof Row & string) | { title: string; of(row: Row): string | null };

/** Plain aligned columns, the same on a terminal and in a pipe. */
export function table<Row>(rows: readonly Row[], columns: readonly Column<Row>[], whenEmpty: string): string {
  if (rows.length === 0) return whenEmpty;
  const cells = [
    columns.map((column) => titleOf(column).toUpperCase()),
    ...rows.map((row) => columns.map((column) => printable(cellOf(row, column) ?? '-'))),
  ];
  const widths = columns.map((_, index) => Math.max(...cells.map((line) => widthOf(line[index] ?? ''))));
  const pad = (cell: string, index: number) => cell + ' '.repeat((widths[index] ?? 0) - widthOf(cell));
  return cells.map((line) => line.map(pad).join('  ').trimEnd()).join('\n');
}

function titleOf<Row>(column: Column<Row>): string {
  if (typeof column !== 'string') return column.title;
  if (column === 'email') return 'e-mail';
  return isTime(column) ? `${column.slice(0, -'_at'.length).replaceAll('_', ' ')} (UTC)` : column;
}

function cellOf<Row>(row: Row, column: Column<Row>): string | null {
  if (typeof column !== 'string') return column.of(row);
  const value = row[column];
  if (value === null) return null;
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value)) return value.join(' ');
  return isTime(column) ? shortTime(String(value)) : String(value);
}

const isTime = (field: string) => field.endsWith('_at');

/** `2026-11-15T03:13:59.000Z` → `2026-11-15 03:13`, in UTC like everything else. */
export const shortTime = (timestamp: string) => timestamp.slice(0, 16).replace('T', ' ');

/** A name may contain control characters, which the terminal must not obey. */
export const printable = (text: string) => text.replaceAll(/\p{Cc}|\p{Bidi_Control}/gu, '\uFFFD');

const graphemes = lazily(() => new Intl.Segmenter('en', { granularity: 'grapheme' }));
const wide =
  /\p{Emoji_Presentation}|\uFE0F|[\u1100-\u115F\u2E80-\uA4CF\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF00-\uFF60\uFFE0-\uFFE6]/u;

/** Columns on a terminal: ideographs and emoji take two. */
function widthOf(text: string): number {
  let width = 0;
  for (const { segment } of graphemes().segment(text)) width += wide.test(segment) ? 2 : 1;
  return width;
}
