import { waitMsAfter } from '@steno/sdk';
import { isNotFound } from '../api/errors.ts';
import { untilReachable } from '../lib/connection.ts';
import { deleteRecording } from '../resources/recordings.ts';
import { deleteUpload } from '../resources/uploads.ts';
import { forgetParts, forgetUpload, type KeptUpload, keepUpload } from './kept-uploads.ts';
import { mayPass } from './send.ts';

/**
 * Deletes what the server has of an upload, however long that takes: left alone, it would become a note. If the page closes
 * first, the next one continues.
 */
export async function discard(upload: KeptUpload, signal: AbortSignal): Promise<void> {
  const { recordingId } = upload;
  if (recordingId) {
    await keepUpload({ ...upload, isDiscarded: true });
    await forgetParts(upload);
    await deleteOnServer(recordingId, upload.isSent, signal);
  }
  if (!signal.aborted) await forgetUpload(upload);
}

async function deleteOnServer(id: string, isSent: boolean, signal: AbortSignal): Promise<void> {
  for (let failures = 0; !signal.aborted; failures += 1)
    try {
      // The server may have ended the upload by itself.
      const gone = isSent ? Promise.reject() : deleteUpload(id);
      await gone.catch(() => deleteRecording(id, true));
      return;
    } catch (error) {
      if (isNotFound(error) || !mayPass(error)) return;
      await untilReachable(waitMsAfter(error, failures), signal);
    }
}
