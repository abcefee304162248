import { forPointer } from '../lib/for-pointer.ts';

/** The screen "Transcribe". */
export const transcribeStrings = {
  title: 'Transcribe',
  lead: forPointer({
    mouse: 'Speak, or drop in a recording. It becomes a note.',
    finger: 'Speak, or choose a recording. It becomes a note.',
  }),
  drop: forPointer({ mouse: 'Record, or drop recordings here', finger: 'Record, or choose recordings' }),
  formats: (formats: readonly string[], size: string) =>
    `${new Intl.ListFormat('en-GB', { type: 'disjunction' }).format(formats)}, up to ${size}`,
  choose: 'Choose files',
  options: 'Options',
  speakersHint: 'Several people are told apart better when their number is known.',
  language: 'Language',
  languageHint: 'A code such as en or de. Leave it empty to detect the language automatically.',
  anyLanguage: 'Detect automatically',
  prompt: 'Names and jargon',
  promptHint: 'Spell them the way you want them written, separated by commas. Your dictionary is used too.',
};
