import type { WhisperShape } from './shape.ts';

type Head = readonly [layer: number, head: number];

/**
 * The heads of the decoder that look at the audio of the token being said, as OpenAI published them for each model.
 * The file does not tell its name; layers, width and vocabulary do, save that large-v1 and large-v2 are alike (v2 here).
 */
const published: Record<string, string | undefined> = {
  '4/384/en': '1.0 2.0 2.5 3.0 3.1 3.2 3.3 3.4',
  '4/384/99': '2.2 3.0 3.2 3.3 3.4 3.5',
  '6/512/en': '3.3 4.7 5.1 5.5 5.7',
  '6/512/99': '3.1 4.2 4.3 4.7 5.1 5.2 5.4 5.6',
  '12/768/en': '6.6 7.0 7.3 7.8 8.2 8.5 8.7 9.0 9.4 9.8 9.10 10.0 10.1 10.2 10.3 10.6 10.11 11.2 11.4',
  '12/768/99': '5.3 5.9 8.0 8.4 8.7 8.8 9.0 9.7 9.9 10.5',
  '24/1024/en':
    '11.4 14.1 14.12 14.14 15.4 16.0 16.4 16.9 17.12 17.14 18.7 18.10 18.15 20.0 20.3 20.9 20.14 21.12',
  '24/1024/99': '13.15 15.4 15.15 16.1 20.0 23.4',
  '32/1280/99':
    '10.12 13.17 16.11 16.12 16.13 17.15 17.16 18.4 18.11 18.19 19.11 21.2 21.3 22.3 22.9 22.12 23.5 23.7 23.13 25.5 26.1 26.12 27.15',
  '32/1280/100': '7.0 10.17 12.18 13.12 16.1 17.14 19.11 21.4 24.1 25.6',
  '4/1280/100': '2.4 2.11 3.3 3.6 3.11 3.14',
};

/** For a model that is none of these: all heads of the upper half, as OpenAI's own code does. */
export function alignmentHeads(shape: WhisperShape): Head[] {
  const { textLayers, textState, textHeads, vocabulary } = shape;
  const languages = languageCount(vocabulary);
  const known = published[`${textLayers}/${textState}/${languages === 0 ? 'en' : languages}`];
  if (known)
    return known.split(' ').map((pair) => {
      const [layer = 0, head = 0] = pair.split('.').map(Number);
      return [layer, head];
    });
  const upper = Array.from({ length: textLayers }, (_, layer) => layer).slice(Math.floor(textLayers / 2));
  return upper.flatMap((layer) => Array.from({ length: textHeads }, (_, head): Head => [layer, head]));
}

/** English-only files have 51,864 tokens; the others one more for the format and one for each language after 99. */
const englishVocabulary = 51_864;
export const languageCount = (vocabulary: number) =>
  vocabulary <= englishVocabulary ? 0 : vocabulary - englishVocabulary + 98;
