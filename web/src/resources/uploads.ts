import { type AudioSource, deleteUpload as deleteUploadOf, type UploadOptions, upload } from '@steno/sdk';
import { api } from '../api/client.ts';
import { maxRecordingNameLength } from '../api/limits.ts';
import type { Asked, Destination } from './asked.ts';

/** Sends audio that becomes a note. Without a name, its first words become its name. */
export const uploadAudio = (
  audio: AudioSource,
  { name, asked, to }: { name: string | undefined; asked: Asked; to: Destination | undefined },
  options: Omit<UploadOptions, 'about'>,
): Promise<string> =>
  upload(api, audio, {
    ...options,
    about: {
      ...(name === undefined ? {} : { name: name.slice(0, maxRecordingNameLength) }),
      ...given(asked),
      ...placeOf(to),
    },
  });

const given = (asked: Asked) =>
  Object.fromEntries(Object.entries(asked).filter(([, value]) => value.trim() !== ''));

const placeOf = (to: Destination | undefined) =>
  to?.noteId
    ? { note_id: to.noteId }
    : {
        note: true,
        ...(to?.spaceId ? { space_id: to.spaceId } : {}),
        ...(to?.folderId ? { folder_id: to.folderId } : {}),
      };

export const deleteUpload = (id: string) => deleteUploadOf(api, id);
