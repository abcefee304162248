import { WriterFailed } from '../../domain/language.ts';
import type { LanguageWriter } from '../ports/writer.ts';
import { createHttpWriter, type WriterSettings } from './openai-compatible.ts';

export type { WriterSettings };

export function createWriter(settings: WriterSettings): LanguageWriter {
  return settings.url === '' ? noWriter : createHttpWriter(settings);
}

/** No address: nothing is ever sent. */
const noWriter: LanguageWriter = {
  isOn: false,
  status: async () => ({ address: null, model: '', window: 0 }),
  write: () => ({ [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(new WriterFailed('off')) }) }),
};
