export { createSteno, type Steno, type StenoOptions } from './client.ts';
export { type ErrorCode, StenoError, UnreachableError } from './errors.ts';
export { follow, readEvents, type StreamEvent, type Streams, type ToldChange } from './events.ts';
export { type AudioSource, createGrowingAudio, type GrowingAudio } from './growing-audio.ts';
export { type ListPath, list, pages } from './pages.ts';
export type { components, operations, paths } from './schema.d.ts';
export { type Fetch, waitMsAfter } from './send.ts';
export {
  type AboutRecording,
  deleteUpload,
  UploadEndedError,
  type UploadOptions,
  upload,
  uploadState,
} from './upload.ts';
export { verifyWebhook, type WebhookEvent, WebhookVerificationError } from './webhooks.ts';
