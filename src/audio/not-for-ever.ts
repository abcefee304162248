import type { Source } from 'mediabunny';

/** Not in mediabunny's types. It gives null where the file has ended. */
interface Reading {
  _read(start: number, end: number, ...limits: number[]): unknown;
}

/** In a row. A page of a healthy OGG is read up to 255 times, once for each packet on it. */
const mostReadsOfSame = 10_000;

/**
 * The same source, but it ends when the same bytes are asked for over and over. mediabunny 1.61 does that in a damaged WebM:
 * it looks for the next part that it knows, and if there is none, it never stops. So the audio before the damage is decoded.
 */
export function limitRereads(source: Source): Source {
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
