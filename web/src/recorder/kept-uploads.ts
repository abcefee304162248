import type { Explanation } from '../api/errors.ts';
import {
  forgetInBrowser,
  forgetManyInBrowser,
  keepInBrowser,
  keptInBrowser,
} from '../lib/browser-storage.ts';
import type { Asked, Destination } from '../resources/uploads.ts';

export interface Refused {
  problem: Explanation;
  /** Whether another try may help. */
  mayRetry: boolean;
}

/** An upload in progress. The browser keeps its audio until the server has every byte, and the rest until it is a note. */
export interface KeptUpload {
  id: string;
  userId: string;
  name: string;
  asked: Asked;
  /** Undefined for the person's own notes, without a folder. */
  to?: Destination | undefined;
  kind: 'spoken' | 'file';
  /** The bytes of a file. A live recording has parts instead. */
  size: number;
  /** The id on the server, once it has one. */
  recordingId?: string;
  /** The recording of an upload that the server ended early. It is deleted once the whole recording is there. */
  replaces?: string;
  /** The server has every byte. */
  isSent: boolean;
  /** The server refused it. It is not sent again unless the person asks for it. */
  refused?: Refused;
  /** Cancelled, but the server may still have some of it. */
  isDiscarded?: true;
}

const keyOf = ({ userId, id }: KeptUpload) => `${userId}/upload/${id}`;
const partsKey = ({ userId, id }: KeptUpload) => `${userId}/sound/${id}/`;

export const keepUpload = (upload: KeptUpload) => keepInBrowser(keyOf(upload), upload);
export const keptUploads = (userId: string) => keptInBrowser<KeptUpload>(`${userId}/upload/`);

/** Ten hours have 36,000 parts; keys are sorted as text. */
export const keepPart = (upload: KeptUpload, order: number, audio: Blob) =>
  keepInBrowser(partsKey(upload) + String(order).padStart(6, '0'), audio);
export const keptParts = (upload: KeptUpload) => keptInBrowser<Blob>(partsKey(upload));
export const forgetParts = (upload: KeptUpload) => forgetManyInBrowser(partsKey(upload));

export async function forgetUpload(upload: KeptUpload): Promise<void> {
  await forgetInBrowser(keyOf(upload));
  await forgetParts(upload);
}
