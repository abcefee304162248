export const noteTypes = ['personal', 'meeting', 'upload'] as const;
export type NoteType = (typeof noteTypes)[number];

/** A note as the wire shows it; rows keep these names and forms from SQL to JSON. */
export interface Note {
  id: string;
  user_id: string;
  client_note_id: string;
  title: string | null;
  content: string;
  enhanced_content: string | null;
  note_type: NoteType;
  folder_id: string | null;
  participants: string | null;
  calendar_event_id: string | null;
  created_at: string;
  updated_at: string;
}

export interface NoteWithTranscript extends Note {
  transcript: string | null;
}

export interface FoundNote extends Note {
  /** 0–1, how well it matches beside the best match, which has 1. */
  score: number;
}

export const maxTitleLength = 500;
export const maxQueryLength = 500;

/** The time of a change: now, or a millisecond after the one before when the clock has not moved on. */
export const laterThan = (before: string, now: string) =>
  now > before ? now : new Date(Date.parse(before) + 1).toISOString();
