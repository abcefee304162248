import { type AudioSource, deleteUpload as deleteUploadOf, type UploadOptions, upload } from '@steno/sdk';
import { api } from '../api/client.ts';
import { maxRecordingNameLength } from '../api/limits.ts';

/** The options of a recording. */
export interface Asked {
  language: string;
  prompt: string;
  /** How many people speak; empty if nobody knows. */
  speakers?: string;
}

/** Where the note of a recording goes: into a space, a folder, or both. */
export interface Destination {
  /** The note that it goes into, instead of a new one. */
  noteId?: string;
  spaceId?: string;
  folderId?: string;
  /** The name that people see. */
  name: string;
}

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
