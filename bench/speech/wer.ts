/** Word errors after the usual normalisation of English, as Whisper's own scoring has it. */
export function wordErrors(reference: string, heard: string): { errors: number; words: number } {
  const [wanted, got] = [normalise(reference), normalise(heard)];
  return { errors: distance(wanted, got), words: wanted.length };
}

/** Whisper was trained on subtitles, which leave these out. */
const fillers = /\b(hmm|mm|mhm|mmm|uh|um)\b/g;

/** The long forms of contractions and titles, in this order. */
const longForms: [RegExp, string][] = [
  [/\bwon't\b/g, 'will not'],
  [/\bcan't\b/g, 'can not'],
  [/\bcannot\b/g, 'can not'],
  [/\blet's\b/g, 'let us'],
  [/\by'all\b/g, 'you all'],
  [/\bwanna\b/g, 'want to'],
  [/\bgotta\b/g, 'got to'],
  [/\bgonna\b/g, 'going to'],
  [/\bma'am\b/g, 'madam'],
  [/\bmr\b/g, 'mister'],
  [/\bmrs\b/g, 'missus'],
  [/\bdr\b/g, 'doctor'],
  [/(?<!')\bst\b/g, 'saint'],
  [/\bprof\b/g, 'professor'],
  [/\bcapt\b/g, 'captain'],
  [/\bgov\b/g, 'governor'],
  [/\bgen\b/g, 'general'],
  [/\bsen\b/g, 'senator'],
  [/\b(ok|okay)\b/g, 'okay'],
  [/\b(alright|all right)\b/g, 'all right'],
  [/'d (been|gone|done)\b/g, ' had $1'],
  [/'s (been|gone|done|got)\b/g, ' has $1'],
  [/n't\b/g, ' not'],
  [/'re\b/g, ' are'],
  [/'s\b/g, ' is'],
  [/'d\b/g, ' would'],
  [/'ll\b/g, ' will'],
  [/'t\b/g, ' not'],
  [/'ve\b/g, ' have'],
  [/'m\b/g, ' am'],
];

/** Lower case, no fillers, long forms, numbers in words, no punctuation. */
export function normalise(text: string): string[] {
  let plain = text.toLowerCase().replace(/’/g, "'").replace(fillers, '').replace(/\s+'/g, "'");
  for (const [form, long] of longForms) plain = plain.replace(form, long);
  return plain
    .replace(/(\d),(\d)/g, '$1$2')
    .replace(/\d+/g, (digits) => ` ${spell(Number(digits))} `)
    .replace(/%/g, ' percent ')
    .replace(/'/g, '')
    .replace(/[^a-z0-9]/g, ' ')
    .split(' ')
    .filter(Boolean);
}

const ones =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'.split(
    ' ',
  );
const tens = ['', '', 'twenty', 'thirty', 'forty', 'fifty', 'sixty', 'seventy', 'eighty', 'ninety'];

/** Years as they are said: "eighteen thirteen". */
function spell(n: number): string {
  if (n < 20) return ones[n] ?? '';
  if (n < 100) return `${tens[Math.floor(n / 10)]} ${n % 10 ? ones[n % 10] : ''}`;
  if (n < 1000) return `${ones[Math.floor(n / 100)]} hundred ${n % 100 ? spell(n % 100) : ''}`;
  if (n < 2000 && n % 100 > 9) return `${spell(Math.floor(n / 100))} ${spell(n % 100)}`;
  return n < 1e6 ? `${spell(Math.floor(n / 1000))} thousand ${n % 1000 ? spell(n % 1000) : ''}` : String(n);
}

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
