import {
  forgetInBrowser,
  forgetManyInBrowser,
  keepInBrowser,
  keptInBrowser,
} from '../lib/browser-storage.ts';
import type { KeptUpload, UploadStorage } from './item.ts';

const keyOf = ({ userId, id }: KeptUpload) => `${userId}/upload/${id}`;
const partsKey = ({ userId, id }: KeptUpload) => `${userId}/sound/${id}/`;

export const keptUploads = (userId: string) => keptInBrowser<KeptUpload>(`${userId}/upload/`);
const forgetParts = (upload: KeptUpload) => forgetManyInBrowser(partsKey(upload));

export const uploadsInBrowser: UploadStorage = {
  keepUpload: (upload) => keepInBrowser(keyOf(upload), upload),
  keptUploads,
  /** Ten hours have 36,000 parts; keys are sorted as text. */
  keepPart: (upload, order, audio) => keepInBrowser(partsKey(upload) + String(order).padStart(6, '0'), audio),
  keptParts: (upload) => keptInBrowser<Blob>(partsKey(upload)),
  forgetParts,
  async forgetUpload(upload) {
    await forgetInBrowser(keyOf(upload));
    await forgetParts(upload);
  },
};
