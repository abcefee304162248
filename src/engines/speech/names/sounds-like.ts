/**
 * How a word sounds, roughly, as English spells it: one letter for each sound. C is ch, S is sh, T is th; a run of vowels
 * is a, i or u. For comparing what was recognised with names, which may be spelt in any way.
 */
export function soundOf(text: string): string {
  let sound = text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[łøß]/g, (letter) => ({ ł: 'l', ø: 'o', ß: 'ss' })[letter] ?? letter)
    .replace(/[^\p{L}\p{N}]/gu, '');
  for (const [spelt, spoken] of spellings) sound = sound.replace(spelt, spoken);
  return sound
    .replace(/[aeiouy]+/g, (vowels) => ('ou'.includes(vowels[0] ?? '') ? 'u' : vowels[0] === 'a' ? 'a' : 'i'))
    .replace(/(.)\1+/g, '$1');
}

const spellings: readonly [RegExp, string][] = [
  [/^[kgp]n/, 'n'],
  [/^wr/, 'r'],
  [/^ps/, 's'],
  [/^x/, 'z'],
  [/mb$/, 'm'],
  [/t?sch|sh|(?<=[st])i(?=on)/g, 'S'],
  [/t?ch/g, 'C'],
  [/ph/g, 'f'],
  [/th/g, 'T'],
  [/(?<=[aeiou])gh(?![aeiou])/g, ''],
  [/gh/g, 'g'],
  [/d?g(?=[eiy])/g, 'j'],
  [/ck|q/g, 'k'],
  [/ku(?=[aeio])/g, 'kw'],
  [/wh/g, 'w'],
  [/c(?=[eiy])/g, 's'],
  [/c/g, 'k'],
  [/x/g, 'ks'],
  [/(?<![aeiou])e$/, ''],
  [/^y(?=[aeiou])/, 'Y'],
];

/** Sounds that are mistaken for one another: made at the same place in the mouth. */
const families = ['pb', 'tdT', 'kgC', 'szSjC', 'fv', 'mn', 'lr', 'wYh'];
const familyOf = new Map<string, string>();
for (const family of families.toReversed()) for (const sound of family) familyOf.set(sound, family[0] ?? '');
const isVowel = (sound: string) => 'aiu'.includes(sound);
const isFaint = (sound: string) => 'hwY'.includes(sound);

const missingCost = (sound: string) => (isVowel(sound) ? 0.5 : isFaint(sound) ? 0.4 : 1);

const alike = new Set(
  families.flatMap((family) => [...family].flatMap((a) => [...family].map((b) => a + b))),
);
function changeCost(a: string, b: string): number {
  if (a === b) return 0;
  if (isVowel(a) && isVowel(b)) return 0.3;
  return alike.has(a + b) ? 0.4 : 1;
}

/** From 0, nothing in common, to 1, the same sounds. */
export function likeness(a: string, b: string): number {
  const row = new Float64Array(b.length + 1);
  for (let j = 1; j <= b.length; j++) row[j] = (row[j - 1] ?? 0) + missingCost(b[j - 1] ?? '');
  for (const sound of a) {
    const missing = missingCost(sound);
    let diagonal = row[0] ?? 0;
    row[0] = diagonal + missing;
    for (let j = 1; j <= b.length; j++) {
      const other = b[j - 1] ?? '';
      const above = row[j] ?? 0;
      const added = (row[j - 1] ?? 0) + missingCost(other);
      row[j] = Math.min(above + missing, added, diagonal + changeCost(sound, other));
      diagonal = above;
    }
  }
  return Math.max(0, 1 - (row[b.length] ?? 0) / Math.max(a.length, b.length, 1));
}

/** Pairs of neighbouring consonants, by their families: what two words that sound alike have in common. */
export function landmarks(sound: string): string[] {
  const consonants = [...sound]
    .filter((letter) => !isVowel(letter))
    .map((letter) => familyOf.get(letter) ?? letter);
  const framed = ['^', ...consonants, '$'];
  return framed.slice(1).map((letter, i) => `${framed[i]}${letter}`);
}

/** A name that what was recognised may have been meant as. */
export interface LikeName {
  name: string;
  /** From 0 to 1. */
  likeness: number;
}

export interface Names {
  /** Those that sound like it, the likest first. */
  like(recognised: string): LikeName[];
}

const shortestName = 3;
/** The least that two words share which sound alike enough. */
const leastLikeness = 0.68;
const mostAlike = 4;
const mostWordsInName = 4;

/**
 * An entry and, of one with several words, each word that is not common: "Jon Dashwoode" also corrects the surname after
 * another first name.
 */
export function namesIn(entry: string): string[] {
  const words = entry.trim().split(/[\s,;]+/);
  return words.length === 1 ? words : [entry.trim(), ...words.filter((word) => !isCommonWord(word))];
}

/** Any number of names, looked up by how they sound. */
export function createNames(list: Iterable<string>): Names {
  const names: { name: string; sound: string; marks: number }[] = [];
  const byLandmark = new Map<string, number[]>();
  for (const name of new Set([...list].flatMap(namesIn))) {
    const sound = soundOf(name);
    if (sound.length < shortestName || name.split(/\s+/).length > mostWordsInName) continue;
    const marks = new Set(landmarks(sound));
    for (const mark of marks) {
      const those = byLandmark.get(mark);
      if (those) those.push(names.length);
      else byLandmark.set(mark, [names.length]);
    }
    names.push({ name, sound, marks: marks.size });
  }

  return {
    like(recognised) {
      const sound = soundOf(recognised);
      if (sound.length < shortestName) return [];
      const marks = new Set(landmarks(sound));
      const shared = new Uint8Array(names.length);
      for (const mark of marks)
        for (const at of byLandmark.get(mark) ?? []) shared[at] = (shared[at] ?? 0) + 1;
      const found: LikeName[] = [];
      for (const [at, entry] of names.entries()) {
        if (2 * (shared[at] ?? 0) < Math.max(2, Math.min(marks.size, entry.marks))) continue;
        if (Math.abs(sound.length - entry.sound.length) > 0.5 * sound.length) continue;
        const alike = likeness(sound, entry.sound);
        if (alike >= leastLikeness) found.push({ name: entry.name, likeness: alike });
      }
      return found.sort((a, b) => b.likeness - a.likeness).slice(0, mostAlike);
    },
  };
}

/** Frequent English words: a recognised one of these is taken at its word, whatever the dictionary holds. */
const common = new Set(
  `a able about above across act add after again against age ago air all almost along already also although always am
  among an and animal another answer any anyone anything appear apple are area arm army around arrive art as ask at
  away baby back bad bag ball bank base be bear beat beautiful became because become bed been before began begin behind
  being believe below best better between big bird bit black blood blow blue board boat body bone book born both bottom
  bought box boy bread break bring broke brother brought brown build building built burn bus business busy but buy by
  call came can car card care carry case cat catch caught cause cell center cent certain chair chance change chapter
  check chief child children choose church circle city claim class clean clear climb close clothes cloud coast cold
  color come common company compare complete condition consider contain continue control cook cool copy corn corner
  correct cost could count country course cover create cross crowd cry current cut dance dark date daughter day dead
  deal dear death decide deep degree describe desert design develop did die difference different difficult dinner
  direct discover do doctor does dog dollar done door double doubt down draw dream dress drink drive drop dry during
  each ear early earth ease east easy eat edge effect egg eight either electric else end enemy energy engine enough
  enter equal especially even evening event ever every everyone everything exact example except exercise expect
  experience eye face fact fair fall family famous far farm fast fat father favor fear feel feet fell felt few field
  fight figure fill final find fine finger finish fire first fish fit five flat floor flow flower fly follow food foot
  for force forest form forward found four free fresh friend from front fruit full fun game garden gas gather gave
  general get girl give glad glass go gold gone good got govern government grand grass gray great green grew ground
  group grow guess guide gun had hair half hand happen happy hard has hat have he head hear heard heart heat heavy held
  hello help her here high hill him himself his history hit hold hole home hope horse hot hotel hour house how however
  huge human hundred hunt hurry i ice idea if imagine in inch include increase indeed industry inside instead interest
  into iron is island it its job join joy jump just keep kept key kill kind king knew know lady lake land language
  large last late later laugh law lay lead learn least leave led left leg length less let letter level lie life lift
  light like line list listen little live long look lost lot loud love low machine made main make man many map march
  mark market mass master material matter may maybe me mean measure meat meet meeting member men method middle might
  mile milk million mind mine minute miss modern moment money month moon more morning most mother motion mountain mouth
  move much music must my name nation nature near necessary need neighbor never new news next night nine no noise none
  nor north nose not note nothing notice noun now number object observe ocean of off offer office often oh oil old on
  once one only open operate opposite or order other our out outside over own page paid paint pair paper paragraph park
  part particular party pass past path pattern pay peace people perhaps period person phone phrase pick picture piece
  place plain plan plane planet plant play please point poor position possible post pound power practice prepare
  present press pretty print probable problem process produce product program project proper protect prove provide
  public pull pure push put question quick quiet quite race radio rain raise ran rather reach read ready real really
  reason receive record red region remain remember repeat reply report represent require rest result return rich ride
  right ring rise river road rock roll room root rope rose round row rule run safe said sail salt same sand sat save
  saw say scale school science score sea search season seat second section see seed seem seen sell send sense sent
  sentence separate serve set settle seven several shall shape share she ship shoe shop short should shoulder shout
  show side sight sign silent similar simple since sing sister sit six size skill skin sky sleep slip slow small smell
  smile snow so soft soil soldier solution some someone something son song soon sorry sort sound south space speak
  special speech speed spell spend spoke spot spread spring square stage stand star start state station stay steam
  steel step still stone stood stop store story straight strange stream street strong student study subject such sudden
  sugar suggest suit summer sun supply support sure surface surprise swim system table tail take talk tall teach team
  tell ten term test than thank that the their them then there these they thick thin thing think third this those
  though thought thousand three through throw thus tie time tiny to today together told tomorrow tone too took tool top
  total touch toward town track trade train travel tree tried trip trouble truck true try turn twelve twenty two type
  under understand unit until up upon us use usual valley value vary very view village visit voice wait walk wall want
  war warm was wash watch water wave way we wear weather week weight well went were west what wheel when where whether
  which while white who whole whose why wide wife wild will win wind window winter wish with within without woman women
  wonder wood word work world would write written wrong wrote yard year yes yesterday yet you young your`.split(
    /\s+/,
  ),
);

/** Plurals and verb endings count as the word they come from. */
export function isCommonWord(word: string): boolean {
  const lower = word.toLowerCase();
  if (common.has(lower)) return true;
  return ['s', 'es', 'd', 'ed', 'ing', 'ly', 'er'].some(
    (ending) => lower.endsWith(ending) && common.has(lower.slice(0, -ending.length)),
  );
}
