import { TranscribeModel } from 'transcribe-cpp';
import type { Recogniser } from '../recogniser.ts';

/** For GGUF files of any family it knows (Whisper, Parakeet, Moonshine …). Whisper gives phrases here, no words. */
export async function loadTranscribeCpp(path: string, model: string, threads: number): Promise<Recogniser> {
  const loaded = await TranscribeModel.load(path, { backend: 'cpu' });
  const { languages, maxTimestampKind } = loaded.capabilities;
  const hasWords = maxTimestampKind === 'word' || maxTimestampKind === 'token';
  const isWhisper = loaded.arch === 'whisper';
  const onlyLanguage = languages.length === 1 ? (languages[0] ?? null) : null;
  // One session for all requests: with one for each, the process took 651 MB instead of 428.
  const session = loaded.createSession({ nThreads: threads });
  return {
    info: { model, runtime: 'transcribe-cpp', languages },
    async recognise({ pcm, language, prompt }) {
      const result = await session.run(pcm, {
        timestamps: 'auto',
        ...(language !== undefined && { language }),
        ...(isWhisper && { family: { kind: 'whisper', seed: 1, ...(prompt && { initialPrompt: prompt }) } }),
      });
      const pieces = hasWords ? result.words : result.segments;
      return {
        pieces: pieces.map(({ text, t0Ms, t1Ms }) => ({
          text: ` ${text.trim()}`,
          start: t0Ms / 1000,
          end: t1Ms / 1000,
          isWord: hasWords,
          score: null,
        })),
        language: language ?? (result.language || onlyLanguage),
      };
    },
  };
}
