import type { Explanation } from '../api/errors.ts';
import type { Asked, Destination } from '../resources/asked.ts';

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

/** Where uploads are kept until they are notes. */
export interface UploadStorage {
  keepUpload(upload: KeptUpload): Promise<boolean>;
  keptUploads(userId: string): Promise<KeptUpload[]>;
  keepPart(upload: KeptUpload, order: number, audio: Blob): Promise<boolean>;
  keptParts(upload: KeptUpload): Promise<Blob[]>;
  forgetParts(upload: KeptUpload): Promise<unknown>;
  forgetUpload(upload: KeptUpload): Promise<void>;
}

export interface Item extends KeptUpload {
  /** The browser could not store the whole recording, so only this page has it until the server does. */
  isUnkept?: true;
  state:
    | { step: 'waiting' }
    | { step: 'sending'; sent: number; isTaken: boolean }
    /** A file that was too large to copy: the person must choose it again. */
    | { step: 'missing' }
    | { step: 'transcribing'; progress: number; isQueued: boolean }
    | { step: 'done'; noteId: string | null }
    | ({ step: 'failed' } & Refused);
}

/** The server does not have it. */
export const isHere = ({ isSent, state }: Item) => !isSent && state.step !== 'done';
/** It does not go on by itself within a moment. */
export const isHeldUp = (item: Item) =>
  isHere(item) &&
  (['missing', 'failed'].includes(item.state.step) || (item.state.step === 'sending' && !item.state.isTaken));

/** The name of the file becomes the title of the note. */
export const withoutEnding = (name: string) => name.replace(/(?<=.)\.[a-z0-9]{2,4}$/i, '');

/** Of the note that it is, or becomes. A file that must be chosen again has its whole name. */
export const nameOf = ({ kind, name, state }: Item) =>
  kind === 'file' && state.step !== 'done' && state.step !== 'missing' ? withoutEnding(name) : name;

/** Removes what is over. What was spoken and is only in this browser stays: it could not be sent again. */
export const isClearable = ({ kind, isSent, state }: Item) =>
  state.step === 'done' || (state.step === 'failed' && (kind === 'file' || isSent));

/** What was spoken and did not become a note yet: without this item its sound is nowhere, or is deleted on the server. */
export const isOnlyCopy = ({ kind, isSent, state }: Item) =>
  kind === 'spoken' && state.step !== 'done' && !(state.step === 'failed' && isSent);
