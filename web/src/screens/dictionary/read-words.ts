import { maxWordLength } from '../../api/limits.ts';
import { type Candidates, columnOf, sift } from '../../lib/candidates.ts';
import { parseCsv } from '../../lib/csv.ts';

/** Every cell is a word, unless a header names a "word" column. */
export function readWords(text: string): Candidates<string> {
  const rows = parseCsv(text);
  const column = columnOf(rows[0], 'word');
  const words = column === -1 ? rows.flat() : rows.slice(1).map((cells) => cells[column] ?? '');
  return sift(
    words.map((word) => word.trim()).filter((word) => word !== ''),
    (word) => word,
    (word) => word.length <= maxWordLength,
  );
}
