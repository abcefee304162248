import type { FirstSteps } from '../domain/first-steps.ts';
import type { StoredNote } from '../domain/note.ts';
import type { Recording } from '../domain/recording.ts';
import type { Transcription } from '../domain/transcription.ts';

/** A voice note that nobody recorded. */
export interface Sample {
  recording: Recording;
  /** Base64, as the recordings room stores it. */
  waveform: string;
  transcription: Transcription;
  note: StoredNote;
}

export interface FirstStepStore {
  /** `isNew`: they were never shown. */
  get(userId: string): Promise<FirstSteps & { isNew: boolean }>;
  /** From now on they are shown. Stores the sample if the person has no note and no recording; returns whether it did. */
  begin(userId: string, sample: Sample): Promise<boolean>;
  end(userId: string): Promise<void>;
}
