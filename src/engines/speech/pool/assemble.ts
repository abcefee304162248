import type { AssembleRequest, Transcribed } from '../../ports/transcriber.ts';
import { engineLanguage, enoughWords, keepKnown } from '../languages.ts';
import type { ChunkRecognised, ModelInfo } from '../recogniser.ts';
import { textOf, toSegments } from '../segments.ts';
import { isOneLanguage, knownLanguages, type ModelResult, type Models } from './fallback-model.ts';

const provider = 'embedded';

/** Makes the transcript of all chunks: decides the language, drops speech of no known language, and diarizes. */
export async function assemble(
  details: readonly ChunkDetail[],
  request: AssembleRequest,
  { pool, fallback }: Models,
  info: ModelInfo,
): Promise<Transcribed> {
  const { userId, signal } = request;
  const named = engineLanguage(request.language, knownLanguages(info, fallback));
  const own = isOneLanguage(info) ? info.languages[0] : undefined;
  // Who names the language knows better than the model.
  const isJudged = own !== undefined && named === undefined;
  const most = mostSpoken(details);
  const settled = settle(details);
  const kept = isJudged ? keepKnown(settled, own) : settled.map(({ pieces }) => pieces);
  const pieces = kept.flat();
  const leastLost = pieces.length > 0 ? enoughWords : 1;
  const isForeign = isJudged && settled.some((chunk, i) => !kept[i]?.length && lostWords(chunk) >= leastLost);
  const chunks = details.flatMap(({ start, embeddings }) => (embeddings ? [{ start, embeddings }] : []));
  const isDiarized = pieces.length > 0 && chunks.length === details.length;
  const turns = isDiarized
    ? await pool.diarize({ chunks, wanted: request.speakers }, { owner: userId, signal })
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
const mostSpoken = (details: readonly ChunkDetail[]) =>
  details.reduce<ChunkDetail | undefined>(
    (best, chunk) =>
      chunk.language !== null && chunk.pieces.length > (best?.pieces.length ?? -1) ? chunk : best,
    undefined,
  );

/** Words of which the fallback model was unsure count if they are in the language of the recording. */
function settle(details: readonly ChunkDetail[]): ChunkDetail[] {
  const most = mostSpoken(details);
  return details.map((chunk) =>
    chunk.doubted && chunk.doubted.language === most?.language ? { ...chunk, ...chunk.doubted } : chunk,
  );
}

/** How much was said at least. Without the fallback model it is unknown for speech that the first one calls foreign. */
const lostWords = ({ pieces, language, doubted }: ChunkDetail) =>
  pieces.length > 0 || language !== null
    ? pieces.length
    : (doubted?.pieces.length ?? Number.POSITIVE_INFINITY);

/** What is kept of a chunk. Times are from the beginning of the recording, times of embeddings from the beginning of the chunk. */
export interface ChunkDetail extends ChunkRecognised, ModelResult {
  start: number;
}

/** The form in the database: rows of earlier versions have the same names. */
interface StoredDetail extends Omit<ChunkDetail, 'embeddings'> {
  voices: { times: string; vectors: string } | null;
}

/** As JSON. Embeddings have half as many bits as in memory, because there are four of them in each second of speech. */
export function packChunk({ embeddings, ...rest }: ChunkDetail): string {
  const stored: StoredDetail = {
    ...rest,
    voices: embeddings && {
      times: base64(embeddings.times),
      vectors: base64(Float16Array.from(embeddings.vectors)),
    },
  };
  return JSON.stringify(stored);
}

/** A partial transcript is assembled after each chunk, and needs no embeddings, which are half of the work. */
export function unpackChunk(text: string, isPartial = false): ChunkDetail {
  // Written above.
  const { voices, ...rest } = JSON.parse(text) as StoredDetail;
  const embeddings = isPartial
    ? null
    : voices && {
        times: new Float64Array(bytes(voices.times)),
        vectors: Float32Array.from(new Float16Array(bytes(voices.vectors))),
      };
  return { ...rest, embeddings };
}

const base64 = ({ buffer, byteOffset, byteLength }: ArrayBufferView) =>
  Buffer.from(buffer, byteOffset, byteLength).toString('base64');

/** In a buffer of their own, because numbers must begin at a multiple of their size. */
const bytes = (text: string) => Uint8Array.from(Buffer.from(text, 'base64')).buffer;
