/** Word errors after lower-casing, dropping punctuation and spelling out small numbers. */
export function wordErrors(reference: string, heard: string): { errors: number; words: number } {
  const [wanted, got] = [normalise(reference), normalise(heard)];
  return { errors: distance(wanted, got), words: wanted.length };
}

const ones =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'.split(
    ' ',
  );
const tens = ['', '', 'twenty', 'thirty', 'forty', 'fifty', 'sixty', 'seventy', 'eighty', 'ninety'];

function spell(n: number): string {
  if (n < 20) return ones[n] ?? '';
  if (n < 100) return `${tens[Math.floor(n / 10)]} ${n % 10 ? ones[n % 10] : ''}`;
  return n < 1000 ? `${ones[Math.floor(n / 100)]} hundred ${n % 100 ? spell(n % 100) : ''}` : String(n);
}

export const normalise = (text: string): string[] =>
  text
    .toLowerCase()
    .replace(/\bmr\b\.?/g, 'mister')
    .replace(/’/g, "'")
    .replace(/\d+/g, (digits) => spell(Number(digits)))
    .replace(/[-—–]/g, ' ')
    .replace(/[^a-z0-9' ]/g, ' ')
    .split(/\s+/)
    .filter(Boolean);

function distance(a: readonly string[], b: readonly string[]): number {
  const row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (const [i, word] of a.entries()) {
    let diagonal = row[0] ?? 0;
    row[0] = i + 1;
    for (let j = 1; j <= b.length; j++) {
      const above = row[j] ?? 0;
      row[j] = Math.min(above + 1, (row[j - 1] ?? 0) + 1, diagonal + (word === b[j - 1] ? 0 : 1));
      diagonal = above;
    }
  }
  return row[b.length] ?? 0;
}
