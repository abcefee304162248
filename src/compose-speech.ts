import { audioFormats, pcmRate } from './domain/audio.ts';
import { createAudioDecoder, createFormatList } from './engines/audio/decoder.ts';
import type { AudioDecoder } from './engines/ports/audio.ts';
import type { Transcriber } from './engines/ports/transcriber.ts';
import type { EngineSettings } from './engines/speech/index.ts';
import { createTranscriber } from './engines/speech/index.ts';
import type { Speech } from './kernel/parts.ts';
import type { Log } from './lib/log.ts';
import type { Metrics } from './platform/http/metrics.ts';

interface Options {
  log: Log;
  metrics: Metrics;
  /** Only to describe the API. */
  describe?: boolean | undefined;
  /** Replace the engine and the decoder. */
  transcriber?: Transcriber | undefined;
  decoder?: AudioDecoder | undefined;
}

/** What recognises speech, with what of it is logged and counted. */
export function startSpeech(settings: EngineSettings, { log, metrics, describe, ...given }: Options): Speech {
  // OpenAPI needs no speech engine, and loading one takes seconds and 300 MB.
  const engine: EngineSettings = describe ? { ...settings, engine: 'fake' } : settings;
  const transcriber =
    given.transcriber ??
    createTranscriber(engine, {
      onProblem: (problem) => log.error({ problem }, 'Speech recognition is out of order'),
      onPreparing: (model) =>
        log.info({ model }, 'A speech model is prepared; this takes some seconds, once'),
      onFault(reason) {
        metrics.recogniserFaults.inc();
        log.warn({ reason }, 'The speech engine failed on a piece of work, or ended without one');
      },
      onWorked: (seconds) => metrics.busySeconds.inc(seconds),
    });
  return {
    transcriber: counted(transcriber, (samples) => metrics.transcribedSeconds.inc(samples / pcmRate)),
    decoder: given.decoder ?? createAudioDecoder(),
    formats: given.decoder ? async () => audioFormats : createFormatList(),
    underWay: new Set(),
  };
}

/** Counts the speech that an engine transcribes. Partial transcripts are of speech that comes again. */
function counted(transcriber: Transcriber, count: (samples: number) => void): Transcriber {
  return {
    ...transcriber,
    async transcribeChunk(request) {
      const result = await transcriber.transcribeChunk(request);
      if (!request.isPartial) count(request.chunk.pcm.length);
      return result;
    },
  };
}
