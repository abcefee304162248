import type { ConcludeRequest, Transcribed } from '../../ports/transcriber.ts';
import { engineLanguage } from '../languages.ts';
import type { ModelInfo } from '../recogniser.ts';
import { textOf, toSegments } from '../segments.ts';
import { enoughWords, keepKnown } from '../unknown-language.ts';
import type { Heard } from './heard.ts';
import { type Hearing, isOneLanguage, knownLanguages } from './second-hearing.ts';

const provider = 'embedded';

/** From what was heard of all chunks to the answer: the language, whose words they are, and what was no known language. */
export async function conclude(
  heard: readonly Heard[],
  request: ConcludeRequest,
  { pool, second }: Hearing,
  info: ModelInfo,
): Promise<Transcribed> {
  const { userId, signal } = request;
  const named = engineLanguage(request.language, knownLanguages(info, second));
  const own = isOneLanguage(info) ? info.languages[0] : undefined;
  // Who names the language knows better than the model.
  const isJudged = own !== undefined && named === undefined;
  const most = mostSpoken(heard);
  const settled = settle(heard);
  const kept = isJudged ? keepKnown(settled, own) : settled.map(({ pieces }) => pieces);
  const pieces = kept.flat();
  const leastLost = pieces.length > 0 ? enoughWords : 1;
  const isForeign = isJudged && settled.some((chunk, i) => !kept[i]?.length && lostWords(chunk) >= leastLost);
  const chunks = heard.flatMap(({ start, voices }) => (voices ? [{ start, voices }] : []));
  const isTold = pieces.length > 0 && chunks.length === heard.length;
  const turns = isTold
    ? await pool.tellApart({ chunks, wanted: request.speakers }, { owner: userId, signal })
    : null;
  return {
    text: textOf(pieces),
    language: isForeign ? null : (named ?? most?.language ?? own ?? null),
    reason: isForeign ? 'unknown_language' : null,
    segments: toSegments(pieces, turns),
    provider,
    model: most?.model ?? info.model,
  };
}

/** The chunk with the most words in a known language. */
const mostSpoken = (heard: readonly Heard[]) =>
  heard.reduce<Heard | undefined>(
    (best, chunk) =>
      chunk.language !== null && chunk.pieces.length > (best?.pieces.length ?? -1) ? chunk : best,
    undefined,
  );

/** Words of which the second model was unsure count if they are in the language of the recording. */
export function settle(heard: readonly Heard[]): Heard[] {
  const most = mostSpoken(heard);
  return heard.map((chunk) =>
    chunk.doubted && chunk.doubted.language === most?.language ? { ...chunk, ...chunk.doubted } : chunk,
  );
}

/** How much was said at least. Of speech that the first model calls foreign nobody knows, without the second one. */
const lostWords = ({ pieces, language, doubted }: Heard) =>
  pieces.length > 0 || language !== null
    ? pieces.length
    : (doubted?.pieces.length ?? Number.POSITIVE_INFINITY);
