import { type components, waitMsAfter } from '@steno/sdk';
import { isNotFound, StenoError } from '../api/errors.ts';
import type { KeptUpload, UploadStorage } from './item.ts';
import { mayPass } from './send.ts';

export interface Remover {
  deleteUpload(id: string): Promise<unknown>;
  deleteRecording(id: string, withTranscription: boolean): Promise<unknown>;
  fetchRecording(id: string): Promise<components['schemas']['Recording']>;
  deleteNote(id: string): Promise<unknown>;
  /** Resolves after the time, or when the server answers again. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
}

interface How {
  server: Remover;
  storage: UploadStorage;
  signal: AbortSignal;
  /** The server does not delete it now. It is asked again, at the next visit too. */
  onWaiting?: (() => void) | undefined;
}

/**
 * Deletes what the server has of an upload, however long that takes: left alone, it would become a note. If the page closes
 * first, the next one continues. Resolves with true once nothing is left.
 */
export async function discard(upload: KeptUpload, how: How): Promise<boolean> {
  const { recordingId } = upload;
  const { storage, signal } = how;
  let isGone = true;
  if (recordingId) {
    await storage.keepUpload({ ...upload, isDiscarded: true });
    await storage.forgetParts(upload);
    isGone = await deleteOnServer(recordingId, upload, how);
  }
  if (!signal.aborted) await storage.forgetUpload(upload);
  return isGone;
}

async function deleteOnServer(id: string, { isSent, to }: KeptUpload, how: How): Promise<boolean> {
  const { server, signal, onWaiting } = how;
  let isUpload = !isSent;
  for (let failures = 0; !signal.aborted; )
    try {
      await (isUpload ? server.deleteUpload(id) : removeRecording(server, id, to?.noteId));
      return true;
    } catch (error) {
      if (isUpload && isOver(error)) isUpload = false;
      else if (isNotFound(error)) return true;
      else if (!mayPass(error)) return false;
      else {
        if (failures === 0) onWaiting?.();
        await server.wait(waitMsAfter(error, failures), signal);
        failures += 1;
      }
    }
  return false;
}

/** The server ends an upload by itself when it gets nothing for minutes. Then it is a recording, and becomes a note. */
const isOver = (error: unknown) => error instanceof StenoError && [404, 409, 410].includes(error.status);

/** With what became of it: its own note goes to the trash, a note that was there before stays. */
export async function removeRecording(
  server: Remover,
  id: string,
  intoNoteId: string | undefined,
): Promise<void> {
  const { note_id } = await server.fetchRecording(id);
  await server.deleteRecording(id, true);
  if (note_id && note_id !== intoNoteId) await server.deleteNote(note_id);
}
