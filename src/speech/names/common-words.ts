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
