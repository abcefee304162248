import type { ChunkTask, ModelInfo, Recognised } from '../recogniser.ts';
import { leastSureness, sureness } from '../unknown-language.ts';
import type { Pool, PoolTask } from './pool.ts';
import type { SecondModel } from './second-model.ts';

export interface Hearing {
  pool: Pool;
  second: SecondModel | null;
}

export interface TwiceHeard extends Recognised {
  /** That gave the words, if it was not the first one. */
  model?: string;
  /** What the second model heard in another language, if it was unsure of it. */
  doubted?: TwiceHeard;
}

/** The second model knows what the first one knows. It runs on ONNX Runtime only. */
export const knownLanguages = (first: ModelInfo, second: SecondModel | null) =>
  second && first.runtime === 'ONNX Runtime' ? second.languages : first.languages;

export const isOneLanguage = ({ languages }: ModelInfo) => languages.length === 1;

/** The mean score of good English is higher (0.68 and more in 49 recordings), and that of most foreign speech lower. */
const unsure = 0.7;

/**
 * What the first model hears. Where it is unsure of it, the second one hears the chunk too; a language that only the
 * second one knows is heard by that alone (docs/decisions/0170-second-hearing.md).
 */
export async function hearTwice(
  { pool, second }: Hearing,
  chunk: ChunkTask,
  task: PoolTask,
  onEncoded: () => void,
): Promise<TwiceHeard> {
  const again = async (model: SecondModel) => ({
    ...(await model.recognise(chunk, task)),
    model: model.name,
  });
  const named = chunk.language;
  const { languages: own } = await pool.info;
  if (second && named !== undefined && !own.includes(named)) return again(second);
  const first = await pool.recognise(chunk, task, onEncoded);
  if (!second || named !== undefined || !isUnsure(first)) return first;
  try {
    return betterOf(first, await again(second), own);
  } catch (error) {
    if (task.signal?.aborted) throw error;
    // What the first one heard is worth more than nothing.
    return first;
  }
}

const isUnsure = ({ pieces, language }: Recognised) =>
  language === null || (pieces.length > 0 && sureness(pieces) < unsure);

/**
 * In a language of the first model the larger one is right more often. In another it must be sure of what it says, or
 * others of the same recording must be in that language too.
 */
function betterOf(first: Recognised, again: TwiceHeard, own: readonly string[]): TwiceHeard {
  const isOwn = again.language !== null && own.includes(again.language);
  if (isOwn) return again.pieces.length > 0 ? again : first;
  return sureness(again.pieces) >= leastSureness ? again : { ...first, language: null, doubted: again };
}
