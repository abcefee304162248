import type { Piece, Recogniser } from '../recogniser.ts';
import { mendPieces } from '../segments.ts';
import { createNames, type Names } from './sounds-like.ts';
import { choosePrompt, createLexicon } from './vocabulary.ts';

/** What one list of names is made into, for an engine that finds them itself and for one that does not. */
interface KnownNames {
  told: { names: Names } | { prompt: string };
  mend(pieces: Piece[]): Piece[];
}

/** Requests that are transcribed at the same time take turns in a worker. */
const mostKept = 4;
/** More do not fit into a prompt, and sorting 20,000 for each chunk takes longer than recognising it. */
const mostForPrompt = 200;

/** Made once for each request, in the worker: 20,000 names take some tenths of a second. */
export function createKnownNames(runtime: Recogniser['info']['runtime']): (list: string) => KnownNames {
  const kept = new Map<string, KnownNames>();
  const make = (list: string): KnownNames => {
    const all = list === '' ? [] : list.split('\n');
    if (runtime === 'ONNX Runtime') return { told: { names: createNames(all) }, mend: (pieces) => pieces };
    const lexicon = createLexicon(all);
    return {
      told: { prompt: choosePrompt({ prompt: '', dictionary: all.slice(0, mostForPrompt) }) },
      mend: (pieces) => (all.length === 0 ? pieces : mendPieces(pieces, lexicon)),
    };
  };
  return (list) => {
    const known = kept.get(list) ?? make(list);
    kept.delete(list);
    kept.set(list, known);
    for (const oldest of kept.keys()) if (kept.size > mostKept) kept.delete(oldest);
    return known;
  };
}
