import type { Transcriber } from '../ports/transcriber.ts';
import { createFakeTranscriber } from './fake.ts';
import { createHttpTranscriber } from './openai/openai-compatible.ts';
import { createEmbeddedTranscriber } from './pool/embedded.ts';

/** The settings of the speech engine. An empty text or 0 stands for the default. */
export interface EngineSettings {
  engine: 'embedded' | 'http' | 'fake';
  /** Address and key of an OpenAI-compatible server. */
  url: string;
  key: string;
  /** Name of the model on that server. */
  serverModel: string;
  /** Path of a GGML or GGUF file for the embedded engine. */
  model: string;
  /** Where `steno models` keeps files; used when no path is given. */
  modelsFolder: string;
  workers: number;
  /** For prepared models of the embedded engine, where the packages cannot be written to. */
  cacheFolder: string;
}

interface EngineEvents {
  /** Gets the reason when the engine stops working, once for each reason. */
  onProblem?(problem: string): void;
  /** Gets the name of a model that must be prepared first, which takes seconds. */
  onPreparing?(model: string): void;
  /** Gets the reason when a worker or a call fails, each time. */
  onFault?(reason: string): void;
  /** Gets the seconds that a worker, or a speech server, was busy. */
  onWorked?(seconds: number): void;
}

export function createTranscriber(settings: EngineSettings, events: EngineEvents = {}): Transcriber {
  switch (settings.engine) {
    case 'fake':
      return createFakeTranscriber();
    case 'http':
      return createHttpTranscriber({
        url: settings.url,
        ...events,
        ...(settings.key !== '' && { key: settings.key }),
        ...(settings.serverModel !== '' && { model: settings.serverModel }),
      });
    case 'embedded':
      return createEmbeddedTranscriber({
        model: settings.model,
        modelsFolder: settings.modelsFolder,
        cacheFolder: settings.cacheFolder,
        ...events,
        ...(settings.workers > 0 && { workers: settings.workers }),
      });
  }
}

// For the commands that look after models and check the installation.
export { fallbackModelFor } from './pool/embedded.ts';
export {
  boxedName,
  cacheFolders,
  fallbackLicence,
  fallbackName,
  hashFile,
  hashModel,
  locateFallbackModel,
  locateModel,
  type ModelFile,
  modelName,
} from './pool/model-file.ts';
export { forgetPrepared } from './prepared.ts';
