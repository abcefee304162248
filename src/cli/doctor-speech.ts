import { acceptedAudio } from '../domain/audio.ts';
import { broken, type Check, ok, reasonOf, warning } from '../domain/status.ts';
import { readableFormats } from '../engines/audio/decoder.ts';
import type { AudioDecoder } from '../engines/ports/audio.ts';
import {
  createTranscriber,
  type EngineSettings,
  fallbackModelFor,
  hashModel,
  locateFallbackModel,
  locateModel,
} from '../engines/speech/index.ts';
import { shareOfWords, transcribeClip, whenLoaded } from './clip.ts';

/** Engines differ in a word or two; one that gets a fifth of this clear speech wrong is broken. */
const neededShare = 0.8;

const fixes = {
  embedded:
    'look at the model with "npx steno models list", check STENO_MODEL, free some memory, or run "npm ci" again',
  http: 'check STENO_ENGINE_URL, STENO_ENGINE_KEY and STENO_ENGINE_MODEL, and whether that server runs',
};

/** Can the native decoder be loaded? Without it WAV and Opus recordings work, and nothing else does. */
export async function checkFormats(decoder?: Pick<AudioDecoder, 'open' | 'close'>): Promise<Check> {
  const { problem } = await readableFormats(decoder);
  if (problem === undefined) return ok('audio formats', acceptedAudio);
  const fix = 'install libasound2, which newer Debian and Ubuntu call libasound2t64, or send WAV or Opus';
  return warning('audio formats', reasonOf(problem), fix);
}

/** Transcribes the clip that comes with Steno, as POST /transcribe would. */
export async function checkSpeech(settings: EngineSettings): Promise<Check> {
  if (settings.engine === 'fake')
    return warning('speech', 'the fake engine makes up its words', 'remove STENO_ENGINE to use a real one');
  const fix = fixes[settings.engine];
  const transcriber = createTranscriber({ ...settings, workers: 1 });
  const startedAt = performance.now();
  try {
    if (settings.engine === 'embedded') await whenLoaded(transcriber);
    const result = await transcribeClip(transcriber);
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
    const share = shareOfWords(result.text);
    const { runtime } = transcriber.status();
    const engine = [result.provider, result.model, ...(runtime ? [`on ${runtime}`] : [])].join(' ');
    const found = `${engine} recognised ${Math.round(share * 100)} % of the clip's words in ${seconds} s`;
    if (share >= neededShare) return ok('speech', found);
    const { languages } = transcriber.status();
    return languages.length > 0 && !languages.includes('en')
      ? ok('speech', `${found}; the clip is English, which this model does not know`)
      : broken('speech', found, fix);
  } catch (cause) {
    const [reason, { problem }] = [reasonOf(cause), transcriber.status()];
    const isTold = problem === null || reason.includes(problem);
    return broken('speech', isTold ? reason : `${reason} (${problem})`, fix);
  } finally {
    await transcriber.close();
  }
}

/** Empty if the operator chose a model, because that one works without the fallback model. */
export async function checkOtherLanguages(settings: EngineSettings): Promise<Check[]> {
  const { engine, model, modelsFolder, workers } = settings;
  const check = 'other languages';
  try {
    const first = engine === 'embedded' ? locateModel(model, modelsFolder) : null;
    if (first?.sha256 == null) return [];
    const fix = 'run "npm ci" again, or use another model ("npx steno models list")';
    const installed = locateFallbackModel();
    if (!installed)
      return [warning(check, 'the fallback model is not installed: only English is recognised', fix)];
    if (!fallbackModelFor(first, workers || undefined))
      return [
        warning(check, 'too little memory for the fallback model', 'set STENO_WORKERS to 1, or add memory'),
      ];
    return [
      (await hashModel(installed)) === installed.sha256
        ? ok(check, `${installed.name}, ${installed.languages.length} languages`)
        : broken(check, `${installed.path} is damaged`, fix),
    ];
  } catch {
    // The check of speech says what is wrong.
    return [];
  }
}
