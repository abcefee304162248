/** Languages in Latin letters that have a stemmer. A note in any other, or in none that can be told, counts as English. */
export const languages = [
  'english',
  'german',
  'spanish',
  'french',
  'italian',
  'portuguese',
  'dutch',
  'swedish',
  // And Danish, whose endings are nearly the same.
  'norwegian',
  'finnish',
  'hungarian',
  'romanian',
  'turkish',
] as const;

export type Language = (typeof languages)[number];

/** Words of nearly every text, without accents. A word of two languages still tells them from the others. */
const frequentWords: Record<Language | 'other', string> = {
  english:
    'the and of to in is that for it with was on are this have you not be at we i my from they but what will has a as no do am or an so if',
  german:
    'der die das und ist nicht ein eine einen dem den des mit fur von zu im auf auch sich wir ich sie es war wird noch am bei nach uber wie aber oder',
  spanish:
    'el la los las que y en un una de del por con para no se es lo su al mas pero como esta hay yo mi fue son',
  french:
    'le la les des et est une un que qui dans pour pas sur au aux avec ce cette il elle nous vous je de du sont mais ou ne',
  italian:
    'il lo la le gli di che e un una per con non sono del della dei nel alla ha piu anche come mi si questo ma da al',
  portuguese:
    'o a os as que e um uma de do da dos das em no na para com nao se por mais foi ao sao esta mas eu meu',
  dutch:
    'de het een en van niet is dat op te zijn met voor er maar ook aan bij wordt naar ik wij heeft nog om deze',
  swedish: 'och att det som en ett ar jag inte pa for med till av den har vi om men fran kommer ska',
  norwegian:
    'og at det er en et jeg ikke pa for med til av af den har vi om men fra som der skal ble blev kan hva hvad',
  finnish: 'ja on ei se etta han oli mutta kun niin ovat tai myos joka mita minun ole kuin nyt sitten',
  hungarian: 'a az es hogy nem egy van ez meg is csak de mert ha el volt vagy majd kell mar',
  romanian: 'si de la in un o ca nu pe cu este din pentru care mai sunt dar sau ce au fost',
  turkish: 've bir bu icin ile da de cok ama ne var mi daha olarak gibi sonra yok degil kadar ben',
  // Vietnamese, Polish, Czech, Croatian, Indonesian, Filipino, Swahili.
  other:
    'va cua la cho mot nhung trong duoc khong voi nguoi nay cac co da o de ' +
    'nie sie jest na w z ze jak ale dla przez do po je se v s jsou pro jako su koji za od ' +
    'yang dan di untuk dengan ini itu dari tidak pada ke ang ng sa mga ay ya wa kwa ni katika',
};

/** Letters that only one of the languages has. */
const tellingLetters: readonly (readonly [RegExp, Language | 'other'])[] = [
  [/ß/, 'german'],
  [/[ñ¿¡]/, 'spanish'],
  [/[ğı]/, 'turkish'],
  [/[őű]/, 'hungarian'],
  [/[țș]/, 'romanian'],
  [/[ơưđ]/, 'other'],
];
const anyTellingLetter = /[ßñ¿¡ğıőűțșơưđ]/;
const worthOfLetters = 2;
const wordsLookedAt = 1_000;

const told = [...languages, 'other'] as const;
/** Each word with the indexes of its languages in `told`. */
const languagesOfWord = new Map<string, number[]>();
for (const [at, language] of told.entries())
  for (const word of frequentWords[language].split(' '))
    languagesOfWord.set(word, [...(languagesOfWord.get(word) ?? []), at]);

/** The language whose frequent words the text has most often; English if two languages tie. */
export function languageOf(text: string, words: readonly string[]): Language {
  const hits = told.map(() => 0);
  const add = (at: number, worth: number) => {
    hits[at] = (hits[at] ?? 0) + worth;
  };
  for (let at = 0; at < Math.min(words.length, wordsLookedAt); at += 1) {
    const having = languagesOfWord.get(words[at] ?? '');
    if (having) for (const language of having) add(language, 1);
  }
  if (anyTellingLetter.test(text))
    for (const [letters, language] of tellingLetters)
      if (letters.test(text)) add(told.indexOf(language), worthOfLetters);
  const most = Math.max(...hits);
  const best = hits.indexOf(most);
  return most > 0 && hits.lastIndexOf(most) === best ? (languages[best] ?? 'english') : 'english';
}
