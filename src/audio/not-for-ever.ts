import type { Source } from 'mediabunny';

/** Not in mediabunny's types. Nothing means that the file ends before. */
interface Reading {
  _read(start: number, end: number, ...limits: number[]): unknown;
}

/** In a row; what is read for a purpose is read a few times. */
const mostReadsOfSame = 1_000;

/**
 * The same source, which ends for whoever asks for the same bytes over and over. mediabunny 1.61 asks for the last eight for
 * ever when a WebM is damaged and nothing that it knows comes after. Now the sound before the damage is heard.
 */
export function notForEver(source: Source): Source {
  const reading = source as unknown as Reading;
  const read = reading._read.bind(source);
  let last = '';
  let times = 0;
  reading._read = (start, end, ...limits) => {
    const asked = `${start} ${end}`;
    times = asked === last ? times + 1 : 0;
    last = asked;
    return times > mostReadsOfSame ? null : read(start, end, ...limits);
  };
  return source;
}
