/** The options of a recording. */
export interface Asked {
  language: string;
  prompt: string;
  /** How many people speak; empty if that is not known. */
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
